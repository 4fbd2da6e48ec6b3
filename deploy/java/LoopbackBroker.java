import kafka.Kafka;
import kafka.tools.StorageTool;

/**
 * Formats the log directory if it is new, then runs the broker: one JVM start
 * instead of two.
 *
 * <p>Arguments: server.properties and the cluster id.
 */
public final class LoopbackBroker {
  private LoopbackBroker() {}

  public static void main(String[] arguments) {
    Leash.hold();
    String[] format = {"format", "-t", arguments[1], "-c", arguments[0], "--ignore-formatted"};
    int status = StorageTool.execute(format, System.out);
    if (status != 0) {
      System.exit(status);
    }
    Kafka.main(new String[] {arguments[0]});
  }
}
