/* Netty.java - Netty's HashedWheelTimer: a worker turns the wheel; other threads hand it starts and stops in queues. */
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.Version;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

final class Netty implements Original {
    /* Its logger writes a page for each failed task; kept here because loggers are only held weakly. */
    private static final Logger LOGGER = Logger.getLogger("io.netty");

    private final HashedWheelTimer timer;
    private final Map<String, Object> settings = new LinkedHashMap<>();
    /* The worker's own count of ticks is private, and the one thing that says in which of them a task ran. */
    private final Object worker;
    private final VarHandle tick;
    /* The worker alone writes these. */
    private long lastTick = -1, ticksWithRuns, runsInTick, mostRuns;

    private final class Form implements TimerTask {
        private final Task task;

        Form(Task task) {
            this.task = task;
        }

        @Override
        public void run(Timeout timeout) {
            noteTick();
            task.run();
        }
    }

    Netty(Flags flags) throws Schedule.Refused {
        long tickNs = flags.number("tick", 100_000_000, 1, Long.MAX_VALUE);
        long slots = flags.number("slots", 512, 1, 1 << 30);
        long cap = flags.number("cap", 0, 0, Long.MAX_VALUE);
        LOGGER.setLevel(Level.OFF);
        try {
            timer = new HashedWheelTimer(Driver.threads(), tickNs, TimeUnit.NANOSECONDS, (int) slots, true, cap);
            var inside = MethodHandles.privateLookupIn(HashedWheelTimer.class, MethodHandles.lookup());
            Class<?> workers = Class.forName("io.netty.util.HashedWheelTimer$Worker");
            worker = inside.findVarHandle(HashedWheelTimer.class, "worker", workers).get(timer);
            tick = MethodHandles.privateLookupIn(workers, inside).findVarHandle(workers, "tick", long.class);
        } catch (IllegalArgumentException e) {
            throw new Schedule.Refused("netty: refused by HashedWheelTimer: " + e.getMessage());
        } catch (ReflectiveOperationException e) {
            throw new Schedule.Refused("netty: this HashedWheelTimer has no Worker.tick to read: " + e);
        }
        settings.put("tick_ns", tickNs);
        settings.put("slots", slots);
        settings.put("cap", cap);
        timer.start();
    }

    private void noteTick() {
        long now = ticks();
        if (now != lastTick) {
            lastTick = now;
            ticksWithRuns++;
            runsInTick = 0;
        }
        mostRuns = Math.max(mostRuns, ++runsInTick);
    }

    @Override
    public Object form(Task task) {
        return new Form(task);
    }

    @Override
    public Object start(Task task, long delayNs) {
        try {
            return timer.newTimeout((Form) task.form, delayNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    @Override
    public boolean stop(Object handle) {
        return ((Timeout) handle).cancel();
    }

    @Override
    public void close(Task[] accepted) {
        for (Timeout timeout : timer.stop()) {
            ((Form) timeout.task()).task.returned++;
        }
    }

    @Override
    public long ticks() {
        return (long) tick.getOpaque(worker);
    }

    @Override
    public Map<String, Object> tickFigures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("with_runs", ticksWithRuns);
        figures.put("most_runs", mostRuns);
        return figures;
    }

    @Override
    public Map<String, Object> settings() {
        return settings;
    }

    public static void main(String[] arguments) {
        String version = Version.identify().get("netty-common").artifactVersion();
        Driver.main("netty", "Netty " + version + " HashedWheelTimer", arguments, Netty::new);
    }
}
