/* Usage.java - processor time, wake-ups and garbage collections of the process up to now. */
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

final class Usage {
    private final Proc proc = new Proc();
    private final long cpuNs =
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    private final long collections, collectionMs;

    Usage() {
        long count = 0, ms = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += bean.getCollectionCount();
            ms += bean.getCollectionTime();
        }
        collections = count;
        collectionMs = ms;
    }

    /** Puts what was used since `before`.  The kernel forgets a thread that has ended: null then. */
    void report(Map<String, Object> json, Usage before) {
        Proc.Sum timers = proc.since(before.proc, Driver.TIMER_THREAD, false);
        boolean known = timers.threads > 0;
        long wakeUps = proc.since(before.proc, Producer.NAME, true).wakeUps;
        json.put("wakeups", pair(wakeUps, known ? timers.wakeUps : null));
        json.put("cpu_ns", pair(cpuNs - before.cpuNs, known ? timers.cpuNs : null));
        Map<String, Object> garbage = new LinkedHashMap<>();
        garbage.put("collections", collections - before.collections);
        garbage.put("ns", (collectionMs - before.collectionMs) * 1_000_000);
        json.put("garbage", garbage);
    }

    private static Map<String, Object> pair(long process, Long timerThreads) {
        Map<String, Object> both = new LinkedHashMap<>();
        both.put("process", process);
        both.put("timer_threads", timerThreads);
        return both;
    }
}
