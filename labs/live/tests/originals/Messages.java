/* Messages.java - reads each schedule that is named and prints what the reader says of it. */
final class Messages {
    private Messages() {
    }

    public static void main(String[] arguments) {
        for (String path : arguments) {
            try {
                Schedule.read(path);
                System.out.println("read");
            } catch (Schedule.Refused e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
