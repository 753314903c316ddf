/* Driver.java - what the drivers in Java have in common: flags, warm-up, the run, the document on standard output.
 *
 * Exit status: 0 the ledger adds up, 1 it does not, 2 bad input.
 */
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

final class Driver {
    static final String TIMER_THREAD = "timer";
    private static final long WARM_UP_NS = 400_000_000, FAR_NS = TimeUnit.HOURS.toNanos(1);

    /* The message of what ended a thread of the timer; null as long as none has. */
    private static volatile String died;

    interface Maker {
        Original make(Flags flags) throws Schedule.Refused;
    }

    private final String name, library;
    private final Maker maker;

    private Driver(String name, String library, Maker maker) {
        this.name = name;
        this.library = library;
        this.maker = maker;
    }

    static void main(String name, String library, String[] arguments, Maker maker) {
        int status = 2;
        try {
            status = new Driver(name, library, maker).drive(new Flags(arguments));
        } catch (Schedule.Refused e) {
            System.err.println(name + ": " + e.getMessage());
        } catch (InterruptedException | IOException | RuntimeException e) {
            System.err.println(name + ": the driver failed: " + e);
            status = 1;
        }
        System.exit(status);
    }

    /** Threads by whose name the figures are taken. */
    static ThreadFactory threads() {
        return work -> {
            Thread thread = new Thread(work, TIMER_THREAD);
            thread.setDaemon(true);
            return thread;
        };
    }

    private int drive(Flags flags) throws Schedule.Refused, InterruptedException, IOException {
        Thread.setDefaultUncaughtExceptionHandler((thread, reason) -> died = thread.getName() + ": " + reason);
        String path = flags.text("schedule");
        int warmUp = (int) flags.number("warm-up", 20_000, 0, 10_000_000);
        int memory = (int) flags.number("memory", 0, 0, 50_000_000);
        Original first = maker.make(flags);
        flags.finish();
        Schedule schedule = Schedule.read(path);
        if (schedule.isPeriodic() && !first.hasPeriods()) {
            throw new Schedule.Refused(path + ": found a periodic task, expected none: this driver does not repeat tasks");
        }
        new Run(warmUpSchedule(warmUp, schedule.producers), first).go();
        died = null;
        Original original = maker.make(flags);
        Run run = new Run(schedule, original);
        System.gc();
        run.go();
        Map<String, Object> json = head(original, schedule, warmUp);
        json.put("died", died);
        json.putAll(run.toJson());
        json.put("clock_ns", clockNs());
        json.put("rss_bytes", Proc.memory("VmRSS"));
        json.put("rss_peak_bytes", Proc.memory("VmHWM"));
        json.put("heap_bytes_per_timer", memory == 0 ? null : heapPerTimer(maker.make(flags), memory));
        System.out.println(Json.write(json));
        return run.addsUp() ? 0 : 1;
    }

    private Map<String, Object> head(Original original, Schedule schedule, int warmUp) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("format", "twbench-original 1");
        json.put("original", name);
        json.put("library", library);
        json.put("runtime", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        Map<String, Object> settings = original.settings();
        settings.put("pace", schedule.paced ? "clock" : "free");
        settings.put("producers", schedule.producers);
        settings.put("warm_up", warmUp);
        settings.put("runtime_flags", ManagementFactory.getRuntimeMXBean().getInputArguments());
        json.put("settings", settings);
        return json;
    }

    /** Starts as fast as they go, every second one stopped at once, so that all paths have been compiled. */
    private static Schedule warmUpSchedule(int starts, int producers) {
        Schedule schedule = new Schedule(false, producers, starts, starts + starts / 2, starts == 0 ? 0 : WARM_UP_NS);
        Random random = new Random(1);
        int op = 0;
        for (int i = 0; i < starts; i++) {
            schedule.id[op] = i;
            schedule.producer[op] = i % producers;
            schedule.delayNs[op++] = random.nextInt(300_000_000);
            if (i % 2 == 1) {
                schedule.id[op] = i;
                schedule.producer[op] = i % producers;
                schedule.delayNs[op++] = Schedule.STOP;
            }
        }
        return schedule;
    }

    /** Heap of one timer with what the library makes of it, but without the task. */
    private static double heapPerTimer(Original original, int timers) throws InterruptedException {
        Task task = new Task(FAR_NS, 0, 0);
        task.form = original.form(task);
        long before = usedHeap();
        for (int i = 0; i < timers; i++) {
            if (original.hasOwnForms()) {
                task.form = original.form(task);
            }
            original.start(task, FAR_NS);
        }
        /* Netty's worker moves 100,000 a tick from its queue into the wheel. */
        Thread.sleep(500);
        long after = usedHeap();
        original.close(new Task[0]);
        return (double) (after - before) / timers;
    }

    private static long usedHeap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** What one reading of the clock costs: it is in each call's time. */
    private static long clockNs() {
        long[] took = new long[1001];
        for (int i = 0; i < took.length; i++) {
            long before = System.nanoTime();
            took[i] = System.nanoTime() - before;
        }
        Arrays.sort(took);
        return took[took.length / 2];
    }
}
