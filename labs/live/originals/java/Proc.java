/* Proc.java - what the kernel says of this process's threads and memory. */
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

final class Proc {
    static final class Sum {
        int threads;
        long wakeUps, cpuNs;
    }

    private static final class Counts {
        String name = "";
        long wakeUps, cpuNs;
    }

    private final Map<String, Counts> threads = new HashMap<>();

    /** The threads as they are now. */
    Proc() {
        List<Path> tasks;
        try (Stream<Path> found = Files.list(Paths.get("/proc/self/task"))) {
            tasks = found.collect(Collectors.toList());
        } catch (IOException e) {
            throw new IllegalStateException("/proc/self/task cannot be read: " + e);
        }
        for (Path task : tasks) {
            Counts counts = new Counts();
            try {
                counts.name = Files.readString(task.resolve("comm")).trim();
                counts.wakeUps = field(Files.readString(task.resolve("status")), "voluntary_ctxt_switches:");
                counts.cpuNs = Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]);
            } catch (IOException e) {
                continue; /* it ended meanwhile */
            }
            threads.put(task.getFileName().toString(), counts);
        }
    }

    /** Of the threads of that name, or of all but that name, since `before`. */
    Sum since(Proc before, String name, boolean but) {
        Sum sum = new Sum();
        for (Map.Entry<String, Counts> entry : threads.entrySet()) {
            Counts now = entry.getValue(), then = before.threads.getOrDefault(entry.getKey(), new Counts());
            if (now.name.equals(name) != but) {
                sum.threads++;
                sum.wakeUps += now.wakeUps - then.wakeUps;
                sum.cpuNs += now.cpuNs - then.cpuNs;
            }
        }
        return sum;
    }

    /** A line of /proc/self/status in bytes: VmRSS or VmHWM. */
    static long memory(String key) throws IOException {
        return 1024 * field(Files.readString(Paths.get("/proc/self/status")), key + ":");
    }

    private static long field(String status, String key) {
        return status.lines().filter(line -> line.startsWith(key))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElseThrow();
    }
}
