import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HMSHandler;
import org.apache.hadoop.hive.metastore.HMSHandlerProxyFactory;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.TSetIpAddressProcessor;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.Schema;
import org.apache.hadoop.hive.ql.DriverFactory;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TServer;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TTransportFactory;

/**
 * Runs statements with Hive's own driver in this process.
 *
 * <p>Arguments: hive-site.xml and, optionally, a loopback port on which a metastore serves the catalog.
 * Each line of input and output is a JSON text: {"sql": [statement, ...]} is answered
 * by {"answers": [{"columns": [[name, type], ...], "rows": [...]} or {"error": message}, ...]};
 * a row is the text of Hive's own result, columns separated by tabs. With "compile": true, statements
 * are only compiled: columns, no rows. Ends when standard input does.
 */
public final class HiveQueries {
  private static final int MOST_ROWS = 100_000;

  /** A command of Hive's shells, not of HiveQL: the driver does not know it. */
  private static final Pattern SETTING = Pattern.compile("(?is)\\s*set\\s+([\\w.]+)\\s*=(.*)");

  private HiveQueries() {}

  public static void main(String[] arguments) throws Exception {
    // Hive prints to standard output, too: answers need a separate stream.
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    HiveConf.setHiveSiteLocation(new File(arguments[0]).toURI().toURL());
    HiveConf conf = new HiveConf();
    SessionState.start(conf);
    if (arguments.length > 1) {
      serveMetastore(conf, Integer.parseInt(arguments[1]));
    }
    Gson gson = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    answers.println("{\"ready\":true}");
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      JsonArray all = new JsonArray();
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      for (JsonElement sql : request.getAsJsonArray("sql")) {
        all.add(
            request.has("compile")
                ? compiled(conf, sql.getAsString())
                : answer(conf, gson, sql.getAsString()));
      }
      JsonObject answer = new JsonObject();
      answer.add("answers", all);
      answers.println(gson.toJson(answer));
    }
    // Hive leaves threads running that are not daemon threads.
    System.exit(0);
  }

  private static void serveMetastore(HiveConf conf, int port) throws Exception {
    TServerSocket socket =
        new TServerSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
    IHMSHandler handler =
        HMSHandlerProxyFactory.getProxy(conf, new HMSHandler("served", conf), false);
    handler.init();
    TServer server =
        new TThreadPoolServer(
            new TThreadPoolServer.Args(socket)
                .processor(new TSetIpAddressProcessor<IHMSHandler>(handler))
                .transportFactory(new TTransportFactory())
                .protocolFactory(new TBinaryProtocol.Factory()));
    Thread serving = new Thread(server::serve, "metastore");
    serving.setDaemon(true);
    serving.start();
  }

  private static JsonObject answer(HiveConf conf, Gson gson, String sql) {
    JsonObject answer = new JsonObject();
    Matcher setting = SETTING.matcher(sql);
    if (setting.matches()) {
      conf.set(setting.group(1), setting.group(2).trim());
      answer.add("columns", new JsonArray());
      answer.add("rows", new JsonArray());
      return answer;
    }
    try (IDriver driver = DriverFactory.newDriver(conf)) {
      driver.run(sql);
      JsonArray columns = columns(driver.getSchema());
      List<Object> rows = new ArrayList<>();
      if (columns.size() > 0 && driver.getFetchTask() != null) {
        driver.setMaxRows(MOST_ROWS);
        driver.getResults(rows);
      }
      answer.add("columns", columns);
      answer.add("rows", gson.toJsonTree(rows));
    } catch (Throwable error) {
      answer.addProperty("error", String.valueOf(error.getMessage()));
    }
    return answer;
  }

  private static JsonObject compiled(HiveConf conf, String sql) {
    JsonObject answer = new JsonObject();
    try (IDriver driver = DriverFactory.newDriver(conf)) {
      driver.compileAndRespond(sql);
      answer.add("columns", columns(driver.getSchema()));
      answer.add("rows", new JsonArray());
    } catch (Throwable error) {
      answer.addProperty("error", String.valueOf(error.getMessage()));
    }
    return answer;
  }

  private static JsonArray columns(Schema schema) {
    JsonArray columns = new JsonArray();
    if (schema != null && schema.getFieldSchemas() != null) {
      for (FieldSchema field : schema.getFieldSchemas()) {
        JsonArray column = new JsonArray();
        column.add(field.getName());
        column.add(field.getType());
        columns.add(column);
      }
    }
    return columns;
  }
}
