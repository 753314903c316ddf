/* Original.java - what a driver has to say of its timer; Driver.java does the rest. */
import java.util.Map;

interface Original {
    /** What start is to hand to the timer for this task.  Made before the clock runs. */
    default Object form(Task task) {
        return task;
    }

    /** Whether each start needs a form of its own. */
    default boolean hasOwnForms() {
        return false;
    }

    /** The handle of the timer; null when it was refused.  From any thread. */
    Object start(Task task, long delayNs);

    /** Whether the timer says that it will not run any more.  From any thread, once per handle. */
    boolean stop(Object handle);

    /** Closes the timer, adds 1 to `returned` of each task that it had not run, and waits for its threads.  Other
     * calls are over. */
    void close(Task[] accepted) throws InterruptedException;

    /** Ticks since the timer was made; -1 where there are none. */
    default long ticks() {
        return -1;
    }

    /** What is known of ticks in which something ran; null where there are none. */
    default Map<String, Object> tickFigures() {
        return null;
    }

    /** Whether start heeds the period of a task. */
    default boolean hasPeriods() {
        return false;
    }

    /** The settings, as the document has them. */
    Map<String, Object> settings();
}
