import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this process when the one that started it is gone.
 *
 * <p>Standard input is a pipe whose other end only the parent holds: the pipe closes, however the
 * parent dies. A parent that wants the server to outlive it writes one byte first.
 */
final class Leash {
  private Leash() {}

  static void hold() {
    Thread watch = new Thread(Leash::haltWhenParentIsGone, "leash");
    watch.setDaemon(true);
    watch.start();
  }

  private static void haltWhenParentIsGone() {
    try (InputStream parent = System.in) {
      if (parent.read() != -1) {
        return;
      }
    } catch (IOException broken) {
      System.out.println("leash broken: " + broken);
    }
    // No shutdown hooks: no process is left to wait for them, and a hook that hangs would leave an orphan.
    Runtime.getRuntime().halt(143);
  }
}
