/** A Trino server on a leash. It finds Trino's class by name, so that it compiles without Trino. */
final class LoopbackTrino {
  private LoopbackTrino() {}

  public static void main(String[] arguments) throws Exception {
    Leash.hold();
    Class.forName("io.trino.server.TrinoServer")
        .getMethod("main", String[].class)
        .invoke(null, (Object) arguments);
  }
}
