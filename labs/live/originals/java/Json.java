/* Json.java - writes maps, lists, numbers, texts and null as JSON. */
import java.util.Map;

final class Json {
    private Json() {
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value);
        return out.toString();
    }

    private static void append(StringBuilder out, Object value) {
        if (value instanceof Map) {
            String between = "{";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                out.append(between);
                quote(out, entry.getKey().toString());
                out.append(": ");
                append(out, entry.getValue());
                between = ", ";
            }
            out.append(between.equals("{") ? "{}" : "}");
        } else if (value instanceof Iterable) {
            String between = "[";
            for (Object element : (Iterable<?>) value) {
                out.append(between);
                append(out, element);
                between = ", ";
            }
            out.append(between.equals("[") ? "[]" : "]");
        } else if (value instanceof CharSequence) {
            quote(out, value.toString());
        } else if (value instanceof Double) {
            number(out, (Double) value);
        } else {
            out.append(value);
        }
    }

    private static void number(StringBuilder out, double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            out.append((long) value);
        } else {
            out.append(String.format(java.util.Locale.ROOT, "%.3f", value));
        }
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
