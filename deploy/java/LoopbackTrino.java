/** A Trino server on a leash. Its class is found by name, so that this compiles without Trino. */
final class LoopbackTrino {
  private LoopbackTrino() {}

  public static void main(String[] arguments) throws Exception {
    Leash.hold();
    Class.forName("io.trino.server.TrinoServer")
        .getMethod("main", String[].class)
        .invoke(null, (Object) arguments);
  }
}
