/* Flags.java - the command line: --name=value, each at most once, and none that nobody asks for. */
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

final class Flags {
    private final Map<String, String> values = new LinkedHashMap<>();
    private final TreeSet<String> known = new TreeSet<>();

    Flags(String[] arguments) throws Schedule.Refused {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith("--") || equals < 3) {
                throw new Schedule.Refused("found '" + argument + "', expected --name=value");
            }
            if (values.put(argument.substring(2, equals), argument.substring(equals + 1)) != null) {
                throw new Schedule.Refused(argument.substring(0, equals) + ": given twice");
            }
        }
    }

    String text(String name) throws Schedule.Refused {
        known.add(name);
        String value = values.get(name);
        if (value == null || value.isEmpty()) {
            throw new Schedule.Refused("--" + name + "=... is missing");
        }
        return value;
    }

    long number(String name, long preset, long least, long most) throws Schedule.Refused {
        known.add(name);
        String value = values.get(name);
        if (value == null) {
            return preset;
        }
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            /* said below */
        }
        throw new Schedule.Refused(
            "--" + name + ": found '" + value + "', expected a number from " + least + " to " + most);
    }

    /** Refuses what nobody has asked for. */
    void finish() throws Schedule.Refused {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw new Schedule.Refused("--" + name + ": unknown; there are " + String.join(", ", known));
            }
        }
    }
}
