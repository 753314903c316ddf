/* JdkPool.java - ScheduledThreadPoolExecutor: a heap under a lock; a thread waits for its head, the others run tasks. */
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

final class JdkPool implements Original {
    private final ScheduledThreadPoolExecutor pool;
    private final Map<String, Object> settings = new LinkedHashMap<>();

    JdkPool(Flags flags) throws Schedule.Refused {
        int threads = (int) flags.number("threads", 4, 1, 1024);
        long removes = flags.number("remove-on-cancel", 0, 0, 1);
        pool = new ScheduledThreadPoolExecutor(threads, Driver.threads());
        pool.setRemoveOnCancelPolicy(removes == 1);
        pool.prestartAllCoreThreads();
        settings.put("threads", threads);
        settings.put("remove_on_cancel", removes);
    }

    @Override
    public Object start(Task task, long delayNs) {
        try {
            if (task.periodNs > 0) {
                return pool.scheduleAtFixedRate(task, delayNs, task.periodNs, TimeUnit.NANOSECONDS);
            }
            if (task.periodNs < 0) {
                return pool.scheduleWithFixedDelay(task, delayNs, -task.periodNs, TimeUnit.NANOSECONDS);
            }
            return pool.schedule(task, delayNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    /** FutureTask.cancel says true of a task that is just running, too: such a task both ran and was stopped. */
    @Override
    public boolean stop(Object handle) {
        return ((Future<?>) handle).cancel(false);
    }

    /** What shutdownNow returns holds the cancelled ones, too, unless they are removed at once. */
    @Override
    public void close(Task[] accepted) throws InterruptedException {
        Map<Object, Task> byHandle = new IdentityHashMap<>(accepted.length);
        for (Task task : accepted) {
            byHandle.put(task.handle, task);
        }
        for (Runnable waiting : pool.shutdownNow()) {
            Task task = byHandle.get(waiting);
            if (task != null && !((Future<?>) waiting).isCancelled()) {
                task.returned++;
            }
        }
        if (!pool.awaitTermination(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the pool's threads have not ended within 60 s");
        }
    }

    @Override
    public boolean hasPeriods() {
        return true;
    }

    @Override
    public Map<String, Object> settings() {
        return settings;
    }

    public static void main(String[] arguments) {
        Driver.main("jdk-pool", "java.util.concurrent.ScheduledThreadPoolExecutor", arguments, JdkPool::new);
    }
}
