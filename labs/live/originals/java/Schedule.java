/* Schedule.java - reads a schedule: which producer starts and stops which timer, and when.
 *
 * ../README.md has the format.  The reader is strict: whatever is not exactly that is a Refused with file, line,
 * what was found and what was expected.
 */
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

final class Schedule {
    /** Bad input: the driver prints the message and exits with 2. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    static final long STOP = -1; /* in delayNs: the operation is a stop */
    static final long FAIL = -1; /* in workNs: the task throws */
    private static final long LONGEST_NS = 1L << 53;
    private static final int MOST_OPS = 50_000_000, MOST_PRODUCERS = 1024;

    final boolean paced; /* else each producer goes on as fast as it can */
    final int producers, ids, ops;
    final long endNs; /* the timer is closed at origin + endNs */
    final long[] atNs, delayNs, workNs;
    final long[] periodNs; /* 0: once; below 0: that long after the end of the run before; else at this rate */
    final int[] id, producer;

    Schedule(boolean paced, int producers, int ids, int ops, long endNs) {
        this.paced = paced;
        this.producers = producers;
        this.ids = ids;
        this.ops = ops;
        this.endNs = endNs;
        atNs = new long[ops];
        delayNs = new long[ops];
        workNs = new long[ops];
        periodNs = new long[ops];
        id = new int[ops];
        producer = new int[ops];
    }

    boolean isPeriodic() {
        return java.util.Arrays.stream(periodNs).anyMatch(period -> period != 0);
    }

    static Schedule read(String path) throws Refused {
        try {
            return new Reader(path, Files.readAllBytes(Paths.get(path))).schedule();
        } catch (IOException | OutOfMemoryError e) {
            throw new Refused(path + ": cannot be read: " + e);
        }
    }

    /** A cursor over the bytes of the file. */
    private static final class Reader {
        private final String path;
        private final byte[] text;
        private int at;
        private int line = 1;

        Reader(String path, byte[] text) {
            this.path = path;
            this.text = text;
        }

        Schedule schedule() throws Refused {
            header("# twbench-schedule 1");
            if (isNext("# source: ")) {
                skipLine();
            }
            boolean paced = pace();
            int producers = (int) field("producers", 1, MOST_PRODUCERS);
            int ids = (int) field("ids", 0, MOST_OPS);
            int ops = (int) field("ops", 0, MOST_OPS);
            long endNs = field("end_ns", 0, LONGEST_NS);
            Schedule schedule = new Schedule(paced, producers, ids, ops, endNs);
            for (int i = 0; i < ops; i++) {
                operation(schedule, i);
            }
            if (at < text.length) {
                throw refused("the end of the file after " + ops + " operations");
            }
            return schedule;
        }

        private void operation(Schedule schedule, int i) throws Refused {
            long earliest = i == 0 ? 0 : schedule.atNs[i - 1];
            schedule.atNs[i] = number("a time in ns, not before that of the line above", earliest, LONGEST_NS);
            expect(' ', "a blank");
            schedule.producer[i] = (int) number("a producer below " + schedule.producers, 0, schedule.producers - 1);
            expect(' ', "a blank");
            boolean starts = at < text.length && text[at] == 's';
            if (!starts && !(at < text.length && text[at] == 'c')) {
                throw refused("s (start) or c (stop)");
            }
            at++;
            expect(' ', "a blank");
            schedule.id[i] = (int) number("an id below " + schedule.ids, 0, schedule.ids - 1L);
            schedule.delayNs[i] = STOP;
            if (starts) {
                expect(' ', "a blank");
                schedule.delayNs[i] = number("a delay in ns", 0, LONGEST_NS);
                schedule.workNs[i] = work(schedule, i);
            }
            expect('\n', "the end of the line");
            line++;
        }

        /** What the task does, which may be missing: fail, or how many ns it takes, or that with a period before it. */
        private long work(Schedule schedule, int i) throws Refused {
            if (at < text.length && text[at] == '\n') {
                return 0;
            }
            expect(' ', "a blank or the end of the line");
            boolean isRate = isNext("rate:");
            if (isRate || isNext("delay:")) {
                at += isRate ? 5 : 6;
                long period = number("a period in ns", 1, LONGEST_NS);
                schedule.periodNs[i] = isRate ? period : -period;
                expect(':', "':'");
            }
            if (isNext("fail")) {
                at += 4;
                return FAIL;
            }
            return number("fail, or the task's own time in ns", 0, LONGEST_NS);
        }

        private boolean pace() throws Refused {
            boolean paced = isNext("# pace: clock\n");
            if (!paced && !isNext("# pace: free\n")) {
                throw refused("'# pace: clock' or '# pace: free'");
            }
            skipLine();
            return paced;
        }

        private void header(String wanted) throws Refused {
            if (!isNext(wanted + "\n")) {
                throw refused("'" + wanted + "'");
            }
            skipLine();
        }

        private long field(String key, long least, long most) throws Refused {
            String start = "# " + key + ": ";
            if (!isNext(start)) {
                throw refused("'" + start + "'");
            }
            at += start.length();
            long value = number("a number from " + least + " to " + most, least, most);
            expect('\n', "the end of the line");
            line++;
            return value;
        }

        private boolean isNext(String wanted) {
            byte[] bytes = wanted.getBytes(StandardCharsets.US_ASCII);
            if (text.length - at < bytes.length) {
                return false;
            }
            for (int i = 0; i < bytes.length; i++) {
                if (text[at + i] != bytes[i]) {
                    return false;
                }
            }
            return true;
        }

        private void skipLine() {
            while (at < text.length && text[at] != '\n') {
                at++;
            }
            at += at < text.length ? 1 : 0;
            line++;
        }

        private void expect(char wanted, String words) throws Refused {
            if (at >= text.length || text[at] != wanted) {
                throw refused(words);
            }
            at++;
        }

        private long number(String what, long least, long most) throws Refused {
            int begin = at;
            long value = 0;
            while (at < text.length && text[at] >= '0' && text[at] <= '9' && value <= most) {
                value = value * 10 + (text[at++] - '0');
            }
            if (at == begin || value < least || value > most) {
                at = begin;
                throw refused(what);
            }
            return value;
        }

        private Refused refused(String expected) {
            int end = at;
            while (end < text.length && text[end] != '\n' && end - at < 40) {
                end++;
            }
            String rest = new String(text, at, end - at, StandardCharsets.US_ASCII);
            String found = at >= text.length ? "the file ends" : rest.isEmpty() ? "the line ends" : "'" + rest + "'";
            return new Refused(path + ":" + line + ": found " + found + ", expected " + expected);
        }
    }
}
