/* Histogram.java - log-linear histogram of durations, bin for bin that of src/harness/measure/stats/histogram.h.
 *
 * Values are ns and are kept as ps: each octave has 32 equal bins, so that a percentile is at most 1/32 above the true
 * one and never below.  The maximum is exact.  One thread adds; merge once it has ended.
 */
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Histogram {
    private static final int SUB_BITS = 5, SUB = 1 << SUB_BITS, OCTAVES = 48, BINS = SUB * (OCTAVES + 1);

    private final long[] bins = new long[BINS];
    private long count;
    private long maxNs;
    private double sumNs;

    /** Below 0 counts as 0. */
    void add(long ns) {
        long value = Math.max(0, ns);
        bins[binOf(value * 1000)]++;
        count++;
        sumNs += value;
        maxNs = Math.max(maxNs, value);
    }

    void merge(Histogram from) {
        for (int i = 0; i < BINS; i++) {
            bins[i] += from.bins[i];
        }
        count += from.count;
        sumNs += from.sumNs;
        maxNs = Math.max(maxNs, from.maxNs);
    }

    private static int binOf(long ps) {
        if (ps < SUB) {
            return (int) ps;
        }
        int octave = 63 - Long.numberOfLeadingZeros(ps) - SUB_BITS + 1;
        return octave > OCTAVES ? BINS - 1 : octave * SUB + (int) (ps >> (octave - 1) & (SUB - 1));
    }

    private static double lowNs(int bin) {
        int octave = bin / SUB, sub = bin % SUB;
        return (octave == 0 ? sub : (long) (SUB + sub) << (octave - 1)) / 1000.0;
    }

    private double quantileNs(double q) {
        double rank = Math.ceil(q * count);
        long below = 0;
        for (int i = 0; i + 1 < BINS; i++) {
            below += bins[i];
            if (below > 0 && below >= rank) {
                return Math.min(lowNs(i + 1), maxNs);
            }
        }
        return maxNs;
    }

    /** As the document has it; null when nothing was added. */
    Map<String, Object> toJson() {
        if (count == 0) {
            return null;
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("p50", quantileNs(0.5));
        json.put("p90", quantileNs(0.9));
        json.put("p99", quantileNs(0.99));
        json.put("p99_9", quantileNs(0.999));
        json.put("p99_99", quantileNs(0.9999));
        json.put("max", maxNs);
        json.put("mean", sumNs / count);
        json.put("count", count);
        List<Object> pairs = new ArrayList<>();
        for (int i = 0; i < BINS; i++) {
            if (bins[i] > 0) {
                pairs.add(List.of(lowNs(i), bins[i]));
            }
        }
        json.put("bins", pairs);
        return json;
    }
}
