/* Producer.java - a thread that starts and stops what the schedule gives it, and times each call. */
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

final class Producer extends Thread {
    static final String NAME = "producer";

    final Histogram start = new Histogram(), stop = new Histogram(), lag = new Histogram();
    long accepted, refused, stopped, tooLate, idle;
    long doneNs; /* when its last call returned */

    private final Schedule schedule;
    private final int number;
    private final Original original;
    private final Task[] tasks;                       /* by operation; null for a stop */
    private final AtomicReferenceArray<Task> current; /* by id: what a stop would stop */
    private final CountDownLatch gate;
    private volatile long originNs;

    Producer(Schedule schedule, int number, Original original, Task[] tasks, AtomicReferenceArray<Task> current,
             CountDownLatch gate) {
        super(NAME);
        setDaemon(true);
        this.schedule = schedule;
        this.number = number;
        this.original = original;
        this.tasks = tasks;
        this.current = current;
        this.gate = gate;
    }

    void setOrigin(long ns) {
        originNs = ns;
    }

    @Override
    public void run() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            return;
        }
        waitUntil(originNs);
        for (int i = 0; i < schedule.ops; i++) {
            if (schedule.producer[i] != number) {
                continue;
            }
            if (schedule.paced) {
                waitUntil(originNs + schedule.atNs[i]);
                lag.add(System.nanoTime() - originNs - schedule.atNs[i]);
            }
            stop(schedule.id[i], tasks[i] == null);
            if (tasks[i] != null) {
                start(schedule.id[i], tasks[i], originNs + schedule.atNs[i]);
            }
        }
        doneNs = System.nanoTime();
    }

    /** A stop is asked for, or a start finds its id still armed: that is a re-arm. */
    private void stop(int id, boolean asked) {
        Task task = current.getAndSet(id, null);
        if (task == null || !asked && task.ran > 0) {
            idle += asked ? 1 : 0;
            return;
        }
        long before = System.nanoTime();
        boolean isStopped = original.stop(task.handle);
        stop.add(System.nanoTime() - before);
        task.stopped = isStopped;
        stopped += isStopped ? 1 : 0;
        tooLate += isStopped ? 0 : 1;
    }

    private void start(int id, Task task, long meantNs) {
        long before = System.nanoTime();
        task.intendedNs = (schedule.paced ? meantNs : before) + task.delayNs;
        task.dueNs = before + task.delayNs;
        Object handle = original.start(task, task.delayNs);
        start.add(System.nanoTime() - before);
        if (handle == null) {
            refused++;
            return;
        }
        accepted++;
        task.handle = handle;
        current.set(id, task);
    }

    static void waitUntil(long ns) {
        for (long left = ns - System.nanoTime(); left > 0; left = ns - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
