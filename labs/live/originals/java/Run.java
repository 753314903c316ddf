/* Run.java - runs a schedule through one timer, and adds up what came of it. */
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReferenceArray;

final class Run {
    private static final long LEAD_NS = 10_000_000; /* from opening the gate to the origin */

    private final Schedule schedule;
    private final Original original;
    private final Task[] tasks;
    private final List<Producer> producers = new ArrayList<>();
    private final Map<String, Object> json = new LinkedHashMap<>();
    private long originNs;
    private boolean addsUp;

    Run(Schedule schedule, Original original) {
        this.schedule = schedule;
        this.original = original;
        tasks = new Task[schedule.ops];
        for (int i = 0; i < schedule.ops; i++) {
            if (schedule.delayNs[i] != Schedule.STOP) {
                tasks[i] = new Task(schedule.delayNs[i], schedule.workNs[i], schedule.periodNs[i]);
                tasks[i].form = original.form(tasks[i]);
            }
        }
    }

    boolean addsUp() {
        return addsUp;
    }

    Map<String, Object> toJson() {
        return json;
    }

    void go() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        AtomicReferenceArray<Task> current = new AtomicReferenceArray<>(schedule.ids);
        for (int i = 0; i < schedule.producers; i++) {
            producers.add(new Producer(schedule, i, original, tasks, current, gate));
            producers.get(i).start();
        }
        Usage before = new Usage();
        long ticksBefore = original.ticks();
        originNs = System.nanoTime() + LEAD_NS;
        producers.forEach(producer -> producer.setOrigin(originNs));
        gate.countDown();
        Producer.waitUntil(originNs + schedule.endNs);
        for (Producer producer : producers) {
            producer.join();
        }
        long elapsedNs = System.nanoTime() - originNs, ticks = original.ticks() - ticksBefore;
        Usage after = new Usage();
        List<Task> accepted = new ArrayList<>();
        for (Task task : tasks) {
            if (task != null && task.handle != null) {
                accepted.add(task);
            }
        }
        original.close(accepted.toArray(new Task[0]));
        report(accepted);
        json.put("elapsed_ns", elapsedNs);
        json.put("ticks", original.ticks() < 0 ? null : tickFigures(ticks));
        after.report(json, before);
    }

    private Map<String, Object> tickFigures(long passed) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("passed", passed);
        figures.putAll(original.tickFigures());
        return figures;
    }

    private void report(List<Task> tasks) {
        Histogram lateness = new Histogram(), afterCall = new Histogram();
        long ran = 0, returned = 0, failed = 0, both = 0, lost = 0, twice = 0;
        long early = 0, earlyMaxNs = 0, lastNs = originNs, runs = 0;
        for (Task task : tasks) {
            boolean isStopped = task.stopped && task.ran == 0;
            if (task.periodNs != 0) { /* waiting or running, it ends with the close */
                task.returned = isStopped ? 0 : 1;
                runs += task.runs;
                failed += task.workNs == Schedule.FAIL ? task.runs : 0;
                lateness.merge(task.late);
                afterCall.merge(task.late);
            }
            int ends = task.ran + task.returned + (isStopped ? 1 : 0);
            lost += ends == 0 ? 1 : 0;
            twice += ends > 1 ? 1 : 0;
            ran += task.ran;
            returned += task.returned;
            both += task.stopped && !isStopped ? 1 : 0;
            if (task.ran > 0) {
                failed += task.workNs == Schedule.FAIL ? 1 : 0;
                early += task.ranNs < task.dueNs ? 1 : 0;
                earlyMaxNs = Math.max(earlyMaxNs, task.dueNs - task.ranNs);
                lateness.add(task.ranNs - task.intendedNs);
                afterCall.add(task.ranNs - task.dueNs);
                lastNs = Math.max(lastNs, task.ranNs);
            }
        }
        long accepted = producers.stream().mapToLong(p -> p.accepted).sum();
        long stopped = producers.stream().mapToLong(p -> p.stopped).sum() - both;
        addsUp = accepted == ran + stopped + returned && lost == 0 && twice == 0;
        Map<String, Object> ledger = new LinkedHashMap<>();
        ledger.put("accepted", accepted);
        ledger.put("refused", producers.stream().mapToLong(p -> p.refused).sum());
        ledger.put("ran", ran);
        ledger.put("stopped", stopped);
        ledger.put("returned", returned);
        ledger.put("early", early);
        json.put("ledger", ledger);
        json.put("runs", runs + ran);
        json.put("lost", lost);
        json.put("twice", twice);
        json.put("early_max_ns", earlyMaxNs);
        json.put("failed", failed);
        json.put("stops_too_late", producers.stream().mapToLong(p -> p.tooLate).sum());
        json.put("stops_idle", producers.stream().mapToLong(p -> p.idle).sum());
        json.put("stopped_yet_ran", both);
        json.put("lateness_ns", lateness.toJson());
        json.put("after_call_ns", afterCall.toJson());
        reportCalls();
        json.put("last_run_ns", tasks.isEmpty() ? null : lastNs - originNs);
    }

    private void reportCalls() {
        Histogram lag = new Histogram(), start = new Histogram(), stop = new Histogram();
        long doneNs = originNs;
        for (Producer producer : producers) {
            lag.merge(producer.lag);
            start.merge(producer.start);
            stop.merge(producer.stop);
            doneNs = Math.max(doneNs, producer.doneNs);
        }
        json.put("lag_ns", lag.toJson());
        json.put("start_ns", start.toJson());
        json.put("stop_ns", stop.toJson());
        json.put("last_call_ns", doneNs - originNs);
    }
}
