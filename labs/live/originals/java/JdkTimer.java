/* JdkTimer.java - java.util.Timer: one thread waits for the head of a heap and runs the tasks itself.
 *
 * It takes whole ms, which are rounded up here, and counts them on the wall clock.  A failed task ends the thread;
 * starts are then refused.
 */
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;

final class JdkTimer implements Original {
    private final Timer timer = new Timer(Driver.TIMER_THREAD);
    private volatile Thread thread;

    private static final class Form extends TimerTask {
        private final Runnable task;

        Form(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }
    }

    JdkTimer(Flags flags) {
        CountDownLatch begun = new CountDownLatch(1);
        timer.schedule(new Form(() -> {
            thread = Thread.currentThread();
            begun.countDown();
        }), 0);
        try {
            begun.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Object form(Task task) {
        return new Form(task);
    }

    @Override
    public boolean hasOwnForms() {
        return true;
    }

    @Override
    public Object start(Task task, long delayNs) {
        Form form = (Form) task.form;
        try {
            timer.schedule(form, (delayNs + 999_999) / 1_000_000);
            return form;
        } catch (IllegalStateException e) {
            return null;
        }
    }

    @Override
    public boolean stop(Object handle) {
        return ((TimerTask) handle).cancel();
    }

    /** Timer.cancel forgets what had not run and does not say what that was; each task knows whether it still waits. */
    @Override
    public void close(Task[] accepted) throws InterruptedException {
        timer.cancel();
        thread.join();
        for (Task task : accepted) {
            if (!task.stopped && ((TimerTask) task.handle).cancel()) {
                task.returned++;
            }
        }
    }

    @Override
    public Map<String, Object> settings() {
        return new LinkedHashMap<>();
    }

    public static void main(String[] arguments) {
        Driver.main("jdk-timer", "java.util.Timer", arguments, JdkTimer::new);
    }
}
