import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Iceberg's own REST catalog over a JDBC catalog, on the loopback address only.
 *
 * <p>The ready main class of Iceberg's test fixtures is no alternative: it binds every address.
 *
 * <p>Arguments: port, the catalog's name in the database, JDBC URL, and the warehouse's folder.
 */
public final class LoopbackIcebergRest {
  private LoopbackIcebergRest() {}

  public static void main(String[] arguments) throws Exception {
    Leash.hold();
    Map<String, String> properties =
        Map.of(
            "type", "jdbc",
            "uri", arguments[2],
            "warehouse", arguments[3],
            // The default, V0, has no views.
            "jdbc.schema-version", "V1",
            // By default a client reads a table's state of 30 seconds ago.
            "cache-enabled", "false");
    Catalog catalog =
        CatalogUtil.buildIcebergCatalog(arguments[1], properties, new Configuration());
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(arguments[0]));
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
    RESTCatalogServlet servlet = new RESTCatalogServlet(new RESTCatalogAdapter(catalog));
    context.addServlet(new ServletHolder(servlet), "/*");
    server.setHandler(context);
    server.start();
    System.out.println("rest catalog ready on port " + arguments[0]);
    server.join();
  }
}
