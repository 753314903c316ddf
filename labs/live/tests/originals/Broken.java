/* Broken.java - a timer with a planted fault, to show that the drivers' ledger notices: --fault=NAME. */
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Broken implements Original {
    private final String fault;
    private final List<Task> pending = new ArrayList<>();
    private int starts;

    Broken(Flags flags) throws Schedule.Refused {
        fault = flags.text("fault");
    }

    @Override
    public synchronized Object start(Task task, long delayNs) {
        boolean strikes = ++starts % 10 == 0;
        if (!(strikes && fault.equals("lost-start"))) {
            pending.add(task);
        }
        if (strikes && fault.equals("early")) {
            task.run();
            pending.remove(task);
        }
        if (strikes && fault.equals("twice")) {
            task.run();
        }
        return task;
    }

    @Override
    public synchronized boolean stop(Object handle) {
        if (!fault.equals("stop-does-nothing")) {
            pending.remove(handle);
        }
        return true;
    }

    /** Runs half of what it has, and returns the rest. */
    @Override
    public synchronized void close(Task[] accepted) {
        for (int i = 0; i < pending.size(); i++) {
            if (i % 2 == 0) {
                pending.get(i).run();
            } else if (!(i % 5 == 0 && fault.equals("lost-at-close"))) {
                pending.get(i).returned++;
            }
        }
    }

    @Override
    public Map<String, Object> settings() {
        return new LinkedHashMap<>();
    }

    public static void main(String[] arguments) {
        Driver.main("broken", "a planted fault", arguments, Broken::new);
    }
}
