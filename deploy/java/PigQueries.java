import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.pig.PigServer;
import org.apache.pig.data.DataBag;
import org.apache.pig.data.DataByteArray;
import org.apache.pig.data.Tuple;
import org.apache.pig.impl.logicalLayer.schema.Schema;

/**
 * Runs scripts with Pig's own server in this process, in local mode.
 *
 * <p>Argument: hive-site.xml. One JSON text a line each way: {"script": text, "alias": name, "rows":
 * boolean} is answered by {"schema": text, "rows": [...]} or {"error": message}. Tuples and bags are
 * lists, bytes are text of Latin-1, decimals and what JSON has no number for are text. Ends when
 * standard input does.
 */
public final class PigQueries {
  private PigQueries() {}

  public static void main(String[] arguments) throws Exception {
    // Pig prints what it likes to standard output: answers need one of their own.
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    HiveConf.setHiveSiteLocation(new File(arguments[0]).toURI().toURL());
    Gson gson = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    answers.println("{\"ready\":true}");
    JsonParser parser = new JsonParser();
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      answers.println(gson.toJson(answer(parser.parse(line).getAsJsonObject())));
    }
    // Pig leaves threads running that are not daemon threads.
    System.exit(0);
  }

  private static JsonObject answer(JsonObject request) {
    JsonObject answer = new JsonObject();
    PigServer pig = null;
    try {
      pig = new PigServer("local");
      byte[] script = request.get("script").getAsString().getBytes(StandardCharsets.UTF_8);
      pig.registerScript(new ByteArrayInputStream(script));
      String alias = request.get("alias").getAsString();
      Schema schema = pig.dumpSchema(alias);
      answer.addProperty("schema", schema == null ? null : schema.toString());
      if (request.get("rows").getAsBoolean()) {
        JsonArray rows = new JsonArray();
        for (Iterator<Tuple> found = pig.openIterator(alias); found.hasNext(); ) {
          rows.add(value(found.next()));
        }
        answer.add("rows", rows);
      }
    } catch (Throwable error) {
      answer.addProperty("error", causes(error));
    } finally {
      if (pig != null) {
        pig.shutdown();
      }
    }
    return answer;
  }

  private static String causes(Throwable error) {
    StringBuilder text = new StringBuilder();
    for (Throwable each = error; each != null; each = each.getCause()) {
      text.append(text.length() > 0 ? " <- " : "").append(each);
    }
    return text.toString();
  }

  private static JsonElement value(Object found) {
    if (found == null) {
      return JsonNull.INSTANCE;
    }
    if (found instanceof Tuple) {
      JsonArray fields = new JsonArray();
      for (Object field : ((Tuple) found).getAll()) {
        fields.add(value(field));
      }
      return fields;
    }
    if (found instanceof DataBag) {
      JsonArray tuples = new JsonArray();
      for (Tuple tuple : (DataBag) found) {
        tuples.add(value(tuple));
      }
      return tuples;
    }
    if (found instanceof Map) {
      JsonObject entries = new JsonObject();
      Map<String, Object> sorted = new TreeMap<>();
      ((Map<?, ?>) found).forEach((key, each) -> sorted.put(String.valueOf(key), each));
      sorted.forEach((key, each) -> entries.add(key, value(each)));
      return entries;
    }
    if (found instanceof Boolean) {
      return new JsonPrimitive((Boolean) found);
    }
    if (found instanceof BigDecimal) {
      return new JsonPrimitive(((BigDecimal) found).toPlainString());
    }
    if (found instanceof DataByteArray) {
      byte[] bytes = ((DataByteArray) found).get();
      return new JsonPrimitive(new String(bytes, StandardCharsets.ISO_8859_1));
    }
    if (found instanceof Number && Double.isFinite(((Number) found).doubleValue())) {
      return new JsonPrimitive((Number) found);
    }
    return new JsonPrimitive(found.toString());
  }
}
