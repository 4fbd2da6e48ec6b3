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
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.fs.FileUtil;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.apache.pig.PigServer;
import org.apache.pig.ResourceSchema;
import org.apache.pig.backend.executionengine.ExecJob;
import org.apache.pig.data.DataBag;
import org.apache.pig.data.DataByteArray;
import org.apache.pig.data.Tuple;
import org.apache.pig.impl.io.InterStorage;
import org.apache.pig.impl.logicalLayer.schema.Schema;

/**
 * Runs scripts with Pig's own server in this process, in local mode.
 *
 * <p>Argument: hive-site.xml. Each line of input and output is a JSON text:
 * {"script": text, "alias": name, "rows":
 * boolean} is answered by {"schema": text, "rows": [...]} or {"error": message}, and {"scripts":
 * [{"script": text, "alias": name}, ...]} by {"answers": [...]} in the same form, all computed in one
 * run. Tuples and bags are lists, bytes are text of Latin-1. Decimals and numbers that JSON lacks are
 * text. Ends when standard input does.
 */
public final class PigQueries {
  private PigQueries() {}

  public static void main(String[] arguments) throws Exception {
    // Pig prints to standard output, too: answers need a separate stream.
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    HiveConf.setHiveSiteLocation(new File(arguments[0]).toURI().toURL());
    Logger jobs = Logger.getLogger("org.apache.hadoop.mapred.LocalJobRunner");
    jobs.setLevel(Level.WARN);
    jobs.addAppender(new Failures());
    Gson gson = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    answers.println("{\"ready\":true}");
    JsonParser parser = new JsonParser();
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      JsonObject request = parser.parse(line).getAsJsonObject();
      answers.println(gson.toJson(request.has("scripts") ? together(request) : answer(request)));
    }
    // Pig leaves threads running that are not daemon threads.
    System.exit(0);
  }

  private static JsonObject answer(JsonObject request) {
    JsonObject answer = new JsonObject();
    PigServer pig = null;
    Failures.last = null;
    try {
      pig = opened();
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

  /** Several scripts in one run wait for jobs only once. */
  private static JsonObject together(JsonObject request) {
    JsonObject answer = new JsonObject();
    PigServer pig = null;
    Path folder = null;
    Failures.last = null;
    try {
      folder = Files.createTempDirectory("together");
      pig = opened();
      JsonArray answers = new JsonArray();
      for (JsonElement each : request.getAsJsonArray("scripts")) {
        JsonObject asked = each.getAsJsonObject();
        byte[] script = asked.get("script").getAsString().getBytes(StandardCharsets.UTF_8);
        pig.registerScript(new ByteArrayInputStream(script));
        pig.registerQuery(
            String.format(
                "STORE %s INTO '%s' USING PigQueries$Stored('%d');",
                asked.get("alias").getAsString(),
                folder.resolve(String.valueOf(answers.size())).toUri(),
                answers.size()));
        answers.add(error("no job has stored the rows"));
      }
      for (ExecJob job : pig.executeBatch()) {
        String path = job.getPOStore().getSFile().getFileName();
        int place = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
        answers.set(place, stored(job, Stored.SCHEMAS.get(place)));
      }
      answer.add("answers", answers);
    } catch (Throwable error) {
      answer.addProperty("error", causes(error));
    } finally {
      if (pig != null) {
        pig.shutdown();
      }
      if (folder != null) {
        FileUtil.fullyDelete(folder.toFile());
      }
    }
    return answer;
  }

  /** Writes rows to a file; it is told the schema of the alias, which it keeps by the alias's position. */
  public static final class Stored extends InterStorage {
    static final Map<Integer, String> SCHEMAS = new ConcurrentHashMap<>();
    private final int place;

    public Stored(String place) {
      this.place = Integer.parseInt(place);
    }

    @Override
    public void checkSchema(ResourceSchema schema) throws IOException {
      SCHEMAS.put(place, Schema.getPigSchema(schema).toString());
    }
  }

  private static JsonObject stored(ExecJob job, String schema) throws Exception {
    if (job.getStatus() != ExecJob.JOB_STATUS.COMPLETED) {
      return error(job.getException() == null ? "failed" : causes(job.getException()));
    }
    JsonObject answer = new JsonObject();
    JsonArray rows = new JsonArray();
    for (Iterator<Tuple> found = job.getResults(); found.hasNext(); ) {
      rows.add(value(found.next()));
    }
    answer.addProperty("schema", schema);
    answer.add("rows", rows);
    return answer;
  }

  private static JsonObject error(String message) {
    JsonObject answer = new JsonObject();
    answer.addProperty("error", message);
    return answer;
  }

  private static PigServer opened() throws IOException {
    Properties settings = new Properties();
    // The rows are few, and each concurrent job fills a buffer of so many megabytes.
    settings.setProperty("mapreduce.task.io.sort.mb", "4");
    PigServer pig = new PigServer("local", settings);
    // Otherwise each statement reads everything again, and loaders ask for their tables again.
    pig.setBatchOn();
    pig.setSkipParseInRegisterForBatch(true);
    return pig;
  }

  private static String causes(Throwable error) {
    StringBuilder text = new StringBuilder();
    for (Throwable each = error; each != null; each = each.getCause()) {
      text.append(text.length() > 0 ? " <- " : "").append(each);
    }
    if (Failures.last != null) {
      text.append("; a job: ").append(Failures.last).append(" <- ").append(Failures.last.getCause());
    }
    return text.toString();
  }

  /** The reason of a failed job, from the log: Pig's own error does not contain it. */
  private static final class Failures extends AppenderSkeleton {
    static volatile Throwable last;

    @Override
    protected void append(LoggingEvent event) {
      if (event.getThrowableInformation() != null) {
        last = event.getThrowableInformation().getThrowable();
      }
    }

    @Override
    public void close() {}

    @Override
    public boolean requiresLayout() {
      return false;
    }
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
