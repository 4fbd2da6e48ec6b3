import java.util.Arrays;

/**
 * A server on a leash. The first argument names its main class, the others are the server's own.
 *
 * <p>It finds the class by name, so that it compiles without the server.
 */
final class OnLeash {
  private OnLeash() {}

  public static void main(String[] arguments) throws Exception {
    Leash.hold();
    String[] others = Arrays.copyOfRange(arguments, 1, arguments.length);
    Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) others);
  }
}
