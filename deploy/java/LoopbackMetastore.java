import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.TSetIpAddressProcessor;
import org.apache.hadoop.hive.metastore.txn.TxnDbUtil;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TServer;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TTransportFactory;

/**
 * Hive's own metastore handler behind Thrift, on the loopback address only.
 *
 * <p>{@code HiveMetaStore.main} is no alternative: it binds every address, and it needs classes that
 * Spark leaves out of its copy of Hive.
 *
 * <p>Arguments: hive-site.xml, port, and "serialised" or "concurrent". Under concurrent DDL, Derby
 * may assign an event id twice, unlike MySQL and PostgreSQL. So "serialised" runs all calls that may
 * write one at a time.
 */
public final class LoopbackMetastore {
  private static final String DERBY_TABLE_EXISTS = "X0Y32";

  private LoopbackMetastore() {}

  public static void main(String[] arguments) throws Exception {
    Leash.hold();
    HiveConf.setHiveSiteLocation(new File(arguments[0]).toURI().toURL());
    HiveConf conf = new HiveConf(LoopbackMetastore.class);
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByName("127.0.0.1"), Integer.parseInt(arguments[1]));
    TServerSocket socket = new TServerSocket(address);
    IHMSHandler handler =
        HiveMetaStore.newRetryingHMSHandler(
            new HiveMetaStore.HMSHandler("loopback", conf, false), conf);
    prepareLocks(conf);
    if (arguments[2].equals("serialised")) {
      handler = oneWriterAtATime(handler);
    }
    TServer server =
        new TThreadPoolServer(
            new TThreadPoolServer.Args(socket)
                .processor(new TSetIpAddressProcessor<IHMSHandler>(handler))
                .transportFactory(new TTransportFactory())
                .protocolFactory(new TBinaryProtocol.Factory())
                .minWorkerThreads(4)
                .maxWorkerThreads(1000));
    Runtime.getRuntime().addShutdownHook(new Thread(LoopbackMetastore::closeDerby));
    System.out.println("metastore ready on port " + arguments[1]);
    server.serve();
  }

  /** Creates the tables of locks, which Iceberg commits need; a catalog on disk has them already. */
  private static void prepareLocks(HiveConf conf) throws Exception {
    try {
      TxnDbUtil.prepDb(conf);
    } catch (SQLException failure) {
      if (!DERBY_TABLE_EXISTS.equals(failure.getSQLState())) {
        throw failure;
      }
    }
  }

  private static IHMSHandler oneWriterAtATime(IHMSHandler handler) {
    ReentrantLock writer = new ReentrantLock(true);
    return (IHMSHandler)
        Proxy.newProxyInstance(
            LoopbackMetastore.class.getClassLoader(),
            new Class<?>[] {IHMSHandler.class},
            (proxy, method, arguments) -> {
              boolean reads = method.getName().startsWith("get");
              if (!reads) {
                writer.lock();
              }
              try {
                return method.invoke(handler, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getTargetException();
              } finally {
                if (!reads) {
                  writer.unlock();
                }
              }
            });
  }

  /** Leaves a checkpoint, so that the next start has nothing to recover. */
  private static void closeDerby() {
    try {
      DriverManager.getConnection("jdbc:derby:;shutdown=true");
    } catch (SQLException always) {
      // Derby reports a clean shutdown as an exception.
    }
  }
}
