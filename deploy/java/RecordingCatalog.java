import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NoSuchViewException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.ViewAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.Relation;
import org.apache.spark.sql.connector.catalog.RelationCatalog;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.connector.catalog.View;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A plugin of Spark 4.3 that keeps its relations in memory and records every call of its methods.
 *
 * <p>It has namespaces of any depth, tables, views, and names with letter case. Its option {@code
 * content} is a JSON object that describes the first relations; {@code recording_catalog.py} shows
 * its form. A name with a failure throws whenever Spark loads it or lists it.
 */
public final class RecordingCatalog implements RelationCatalog, SupportsNamespaces {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<List<Object>> CALLS = new ArrayList<>();

  private final Map<List<String>, Map<String, String>> namespaces = new ConcurrentHashMap<>();
  private final Map<List<String>, Relation> relations = new ConcurrentHashMap<>();
  private final Map<List<String>, String> failures = new ConcurrentHashMap<>();
  private String name;

  /** The calls since the last time as a JSON array: catalog, method and arguments of each. */
  public static String takeCalls() throws JsonProcessingException {
    synchronized (CALLS) {
      String taken = JSON.writeValueAsString(CALLS);
      CALLS.clear();
      return taken;
    }
  }

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
    try {
      fill(JSON.readTree(options.getOrDefault("content", "{}")));
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException("the option content of catalog " + name, malformed);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    record("listTables", (Object) namespace);
    return listed(namespace, Table.class);
  }

  @Override
  public Identifier[] listViews(String[] namespace) throws NoSuchNamespaceException {
    record("listViews", (Object) namespace);
    return listed(namespace, View.class);
  }

  @Override
  public Relation loadRelation(Identifier identifier) throws NoSuchTableException {
    record("loadRelation", identifier);
    return existing(identifier);
  }

  @Override
  public Table createTable(Identifier identifier, TableInfo info)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    record("createTable", identifier);
    requireNamespace(identifier.namespace());
    Table table =
        new StoredTable(identifier.name(), info.columns(), info.properties(), info.partitions());
    if (relations.putIfAbsent(path(identifier), table) != null) {
      throw new TableAlreadyExistsException(identifier);
    }
    return table;
  }

  @Override
  public Table alterTable(Identifier identifier, TableChange... changes)
      throws NoSuchTableException {
    record("alterTable", identifier, changes.length);
    if (!(existing(identifier) instanceof StoredTable before)) {
      throw new NoSuchTableException(identifier);
    }
    var all = CollectionConverters.asScala(List.of(changes)).toSeq();
    StructType schema =
        CatalogV2Util.applySchemaChanges(before.schema(), all, Option.empty(), "ALTER TABLE");
    Table after =
        new StoredTable(
            before.name(),
            CatalogV2Util.structTypeToV2Columns(schema, false),
            CatalogV2Util.applyPropertiesChanges(before.properties(), all),
            before.partitioning());
    relations.put(path(identifier), after);
    return after;
  }

  @Override
  public boolean dropTable(Identifier identifier) {
    record("dropTable", identifier);
    return drop(identifier, Table.class);
  }

  @Override
  public void renameTable(Identifier from, Identifier to)
      throws NoSuchTableException, TableAlreadyExistsException {
    record("renameTable", from, to);
    Relation table = existing(from);
    if (relations.putIfAbsent(path(to), table) != null) {
      throw new TableAlreadyExistsException(to);
    }
    relations.remove(path(from));
  }

  @Override
  public View createView(Identifier identifier, View view)
      throws ViewAlreadyExistsException, NoSuchNamespaceException {
    record("createView", identifier, view.currentCatalog(), view.currentNamespace());
    requireNamespace(identifier.namespace());
    if (relations.putIfAbsent(path(identifier), view) != null) {
      throw new ViewAlreadyExistsException(identifier);
    }
    return view;
  }

  @Override
  public View replaceView(Identifier identifier, View view) throws NoSuchViewException {
    record("replaceView", identifier, view.currentCatalog(), view.currentNamespace());
    if (!(relations.get(path(identifier)) instanceof View)) {
      throw new NoSuchViewException(identifier);
    }
    relations.put(path(identifier), view);
    return view;
  }

  @Override
  public boolean dropView(Identifier identifier) {
    record("dropView", identifier);
    return drop(identifier, View.class);
  }

  @Override
  public void renameView(Identifier from, Identifier to)
      throws NoSuchViewException, ViewAlreadyExistsException {
    record("renameView", from, to);
    if (!(relations.get(path(from)) instanceof View view)) {
      throw new NoSuchViewException(from);
    }
    if (relations.putIfAbsent(path(to), view) != null) {
      throw new ViewAlreadyExistsException(to);
    }
    relations.remove(path(from));
  }

  @Override
  public String[][] listNamespaces() throws NoSuchNamespaceException {
    return listNamespaces(new String[0]);
  }

  @Override
  public String[][] listNamespaces(String[] parent) throws NoSuchNamespaceException {
    record("listNamespaces", (Object) parent);
    requireNamespace(parent);
    return namespaces.keySet().stream()
        .filter(levels -> isChild(levels, parent))
        .map(levels -> levels.toArray(String[]::new))
        .toArray(String[][]::new);
  }

  @Override
  public boolean namespaceExists(String[] namespace) {
    record("namespaceExists", (Object) namespace);
    return namespace.length == 0 || namespaces.containsKey(List.of(namespace));
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace)
      throws NoSuchNamespaceException {
    record("loadNamespaceMetadata", (Object) namespace);
    requireNamespace(namespace);
    return namespaces.getOrDefault(List.of(namespace), Map.of());
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> properties)
      throws NamespaceAlreadyExistsException {
    record("createNamespace", (Object) namespace);
    if (namespaces.putIfAbsent(List.of(namespace), properties) != null) {
      throw new NamespaceAlreadyExistsException(namespace);
    }
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes)
      throws NoSuchNamespaceException {
    record("alterNamespace", namespace, changes.length);
    requireNamespace(namespace);
    var all = CollectionConverters.asScala(List.of(changes)).toSeq();
    namespaces.computeIfPresent(
        List.of(namespace),
        (levels, before) -> CatalogV2Util.applyNamespaceChanges(before, all));
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade)
      throws NonEmptyNamespaceException {
    record("dropNamespace", namespace, cascade);
    List<String> levels = List.of(namespace);
    if (cascade) {
      namespaces.keySet().removeIf(each -> isBelow(each, levels));
      relations.keySet().removeIf(each -> isBelow(each, levels));
    } else if (namespaces.keySet().stream().anyMatch(each -> isBelow(each, levels))
        || relations.keySet().stream().anyMatch(each -> isBelow(each, levels))) {
      throw new NonEmptyNamespaceException(namespace);
    }
    return namespaces.remove(levels) != null;
  }

  private void fill(JsonNode content) {
    for (JsonNode each : content.path("namespaces")) {
      addNamespace(texts(each));
    }
    for (JsonNode each : content.path("tables")) {
      List<String> path = addPath(each);
      Transform[] partitions =
          texts(each.path("partitions")).stream()
              .map(Expressions::identity)
              .toArray(Transform[]::new);
      String last = path.get(path.size() - 1);
      relations.put(path, new StoredTable(last, columns(each), properties(each), partitions));
    }
    for (JsonNode each : content.path("views")) {
      List<String> path = addPath(each);
      relations.put(path, view(each, path.subList(0, path.size() - 1)));
    }
    for (JsonNode each : content.path("failures")) {
      failures.put(texts(each.path("name")), each.path("message").asText());
    }
  }

  private List<String> addPath(JsonNode relation) {
    List<String> path = texts(relation.path("name"));
    addNamespace(path.subList(0, path.size() - 1));
    return path;
  }

  private void addNamespace(List<String> levels) {
    for (int depth = 1; depth <= levels.size(); depth++) {
      namespaces.putIfAbsent(List.copyOf(levels.subList(0, depth)), Map.of());
    }
  }

  private View view(JsonNode described, List<String> ownNamespace) {
    Column[] columns = columns(described);
    List<String> namespace =
        described.has("namespace") ? texts(described.path("namespace")) : ownNamespace;
    String[] queryColumns =
        described.has("query_columns")
            ? texts(described.path("query_columns")).toArray(String[]::new)
            : Arrays.stream(columns).map(Column::name).toArray(String[]::new);
    View.Builder builder = new View.Builder();
    builder.withColumns(columns);
    builder.withProperties(properties(described));
    return builder
        .withQueryText(described.path("query").asText())
        .withCurrentCatalog(described.path("catalog").asText(name))
        .withCurrentNamespace(namespace.toArray(String[]::new))
        .withSchemaMode(described.path("schema_mode").asText("COMPENSATION"))
        .withQueryColumnNames(queryColumns)
        .build();
  }

  private Identifier[] listed(String[] namespace, Class<? extends Relation> kind)
      throws NoSuchNamespaceException {
    requireNamespace(namespace);
    return relations.entrySet().stream()
        .filter(each -> isChild(each.getKey(), namespace) && kind.isInstance(each.getValue()))
        .map(each -> Identifier.of(namespace, each.getKey().get(namespace.length)))
        .toArray(Identifier[]::new);
  }

  private Relation existing(Identifier identifier) throws NoSuchTableException {
    throwFailureOf(path(identifier));
    Relation found = relations.get(path(identifier));
    if (found == null) {
      throw new NoSuchTableException(identifier);
    }
    return found;
  }

  private boolean drop(Identifier identifier, Class<? extends Relation> kind) {
    Relation found = relations.get(path(identifier));
    return kind.isInstance(found) && relations.remove(path(identifier), found);
  }

  private void requireNamespace(String[] namespace) throws NoSuchNamespaceException {
    throwFailureOf(List.of(namespace));
    if (namespace.length > 0 && !namespaces.containsKey(List.of(namespace))) {
      throw new NoSuchNamespaceException(namespace);
    }
  }

  private void throwFailureOf(List<String> path) {
    String message = failures.get(path);
    if (message != null) {
      throw new IllegalStateException(message);
    }
  }

  private void record(String method, Object... arguments) {
    List<Object> call = new ArrayList<>(List.of(name, method));
    for (Object each : arguments) {
      call.add(each instanceof Identifier identifier ? path(identifier) : each);
    }
    synchronized (CALLS) {
      CALLS.add(call);
    }
  }

  private static List<String> path(Identifier identifier) {
    List<String> path = new ArrayList<>(List.of(identifier.namespace()));
    path.add(identifier.name());
    return path;
  }

  private static boolean isChild(List<String> path, String[] parent) {
    return path.size() == parent.length + 1 && isBelow(path, List.of(parent));
  }

  private static boolean isBelow(List<String> path, List<String> parent) {
    return path.size() > parent.size() && path.subList(0, parent.size()).equals(parent);
  }

  private static Column[] columns(JsonNode described) {
    String ddl = described.path("columns").asText();
    return CatalogV2Util.structTypeToV2Columns(StructType.fromDDL(ddl), false);
  }

  private static Map<String, String> properties(JsonNode described) {
    Map<String, String> found = new TreeMap<>();
    described.path("properties").fields().forEachRemaining(
        each -> found.put(each.getKey(), each.getValue().asText()));
    return found;
  }

  private static List<String> texts(JsonNode array) {
    List<String> found = new ArrayList<>();
    array.forEach(each -> found.add(each.asText()));
    return found;
  }

  private record StoredTable(
      String name, Column[] columns, Map<String, String> properties, Transform[] partitioning)
      implements Table {
    @Override
    public StructType schema() {
      return CatalogV2Util.v2ColumnsToStructType(columns);
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.BATCH_READ);
    }
  }
}
