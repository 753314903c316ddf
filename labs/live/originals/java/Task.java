/* Task.java - one start of the schedule: what the timer runs, and what came of it.
 *
 * Everything that the run is judged by is noted here and read after the threads have ended, so that noting costs no
 * lock.  A producer writes what is before the call, the timer's thread what is after.
 */
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;

final class Task implements Runnable {
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed() {
            super("a task of the schedule failed");
        }
    }

    private static final AtomicIntegerFieldUpdater<Task> RAN = AtomicIntegerFieldUpdater.newUpdater(Task.class, "ran");

    final long delayNs, workNs;
    final long periodNs;    /* as a schedule has it */
    final Histogram late;   /* of each run of a periodic task; else null */
    long nextDueNs;         /* of a periodic task, from its second run on */
    volatile int runs;      /* of a periodic task, which has no end but its stop and the close */
    Object form;            /* what is handed to the timer, made before the clock runs */
    long intendedNs;        /* when it ought to run, on System.nanoTime's clock */
    long dueNs;             /* the call's moment + delay: before this it is early */
    volatile Object handle; /* of an accepted start */
    volatile int ran;
    long ranNs; /* the last time */
    boolean stopped;
    int returned;

    Task(long delayNs, long workNs, long periodNs) {
        this.delayNs = delayNs;
        this.workNs = workNs;
        this.periodNs = periodNs;
        late = periodNs != 0 ? new Histogram() : null;
    }

    @Override
    public void run() {
        ranNs = System.nanoTime();
        if (periodNs != 0) {
            runAgain();
            return;
        }
        RAN.incrementAndGet(this);
        if (workNs == Schedule.FAIL) {
            throw new Failed();
        }
        if (workNs > 0) {
            keepThread();
        }
    }

    /** One run after the other, so that nothing here is read by two threads.  A fixed delay counts from the run's end. */
    private void runAgain() {
        long due = runs == 0 ? intendedNs : nextDueNs;
        late.add(ranNs - due);
        if (workNs > 0) {
            keepThread();
        }
        nextDueNs = periodNs > 0 ? due + periodNs : System.nanoTime() - periodNs;
        runs = runs + 1;
        if (workNs == Schedule.FAIL) {
            throw new Failed();
        }
    }

    /** Sleeps, as a task does that waits for a disk.  Closing may interrupt it. */
    private void keepThread() {
        long left = workNs;
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = ranNs + workNs - System.nanoTime();
        }
    }
}
