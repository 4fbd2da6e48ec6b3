import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import org.apache.avro.Conversions;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Reads Avro's binary encoding with Apache Avro itself, with the schema of its writer.
 *
 * <p>Each line of input and output is a JSON text:
 * {"schemas": [schema text, ...], "readings": [{"writer": index,
 * "reader": index, "logical": boolean, "data": [hex, ...]}, ...]} is answered by {"answers":
 * [[{"data": hex} or {"error": message}, ...], ...]}. The message about a schema that it
 * cannot parse begins with "schema: ". An answer is the value that Java read, encoded again with the
 * reader's schema; a map keeps its order. With "logical", values pass through the
 * classes of logical types. Bytes left over are an error.
 *
 * <p>{"files": [hex, ...]} is answered by {"answers": [{"data": hex} or {"error": message}, ...]}:
 * the container file, its records read and written again in its own codec.
 *
 * <p>{"schemas": [...], "conversions": [{"schema": index, "data": [hex, ...], "texts": [JSON, ...]},
 * ...]} is answered by {"answers": [{"texts": [{"text": JSON} or {"error": message}, ...], "data":
 * [{"data": hex} or {"error": message}, ...]}, ...]}: binary values in Avro's JSON encoding, and texts of
 * that encoding in the binary one.
 *
 * <p>Ends when standard input does.
 */
public final class AvroJudge {
  private static final HexFormat HEX = HexFormat.of();

  private AvroJudge() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Gson gson = new GsonBuilder().disableHtmlEscaping().create();
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      JsonObject answer = new JsonObject();
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      answer.add("answers", answersOf(request));
      answers.println(gson.toJson(answer));
    }
  }

  private static JsonArray answersOf(JsonObject request) {
    if (request.has("files")) {
      return files(request);
    }
    JsonArray texts = request.getAsJsonArray("schemas");
    Schema[] schemas = new Schema[texts.size()];
    String[] errors = new String[texts.size()];
    for (int i = 0; i < schemas.length; i++) {
      try {
        schemas[i] = new Schema.Parser().parse(texts.get(i).getAsString());
      } catch (RuntimeException | StackOverflowError refused) {
        errors[i] = "schema: " + refused;
      }
    }
    return request.has("conversions")
        ? conversions(request, schemas, errors)
        : readings(request, schemas, errors);
  }

  private static JsonArray readings(JsonObject request, Schema[] schemas, String[] errors) {
    JsonArray answers = new JsonArray();
    for (JsonElement each : request.getAsJsonArray("readings")) {
      JsonObject reading = each.getAsJsonObject();
      int writer = reading.get("writer").getAsInt();
      int reader = reading.get("reader").getAsInt();
      GenericData model = new Ordered();
      if (reading.get("logical").getAsBoolean()) {
        addConversions(model);
      }
      JsonArray found = new JsonArray();
      for (JsonElement data : reading.getAsJsonArray("data")) {
        String error = errors[writer] != null ? errors[writer] : errors[reader];
        found.add(
            error != null
                ? refusal(error)
                : answer(model, schemas[writer], schemas[reader], data.getAsString()));
      }
      answers.add(found);
    }
    return answers;
  }

  private static JsonObject answer(GenericData model, Schema writer, Schema reader, String hex) {
    try {
      BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(HEX.parseHex(hex), null);
      Object value = new GenericDatumReader<Object>(writer, reader, model).read(null, decoder);
      if (!decoder.isEnd()) {
        return refusal("bytes follow the value");
      }
      return inBinary(model, reader, value);
    } catch (Exception | StackOverflowError | OutOfMemoryError refused) {
      return refusal(refused.toString());
    }
  }

  private static JsonObject inBinary(GenericData model, Schema schema, Object value)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
    new GenericDatumWriter<Object>(schema, model).write(value, encoder);
    encoder.flush();
    JsonObject answer = new JsonObject();
    answer.addProperty("data", HEX.formatHex(out.toByteArray()));
    return answer;
  }

  private static JsonArray conversions(JsonObject request, Schema[] schemas, String[] errors) {
    JsonArray answers = new JsonArray();
    for (JsonElement each : request.getAsJsonArray("conversions")) {
      JsonObject conversion = each.getAsJsonObject();
      int schema = conversion.get("schema").getAsInt();
      String error = errors[schema];
      JsonArray texts = new JsonArray();
      for (JsonElement hex : conversion.getAsJsonArray("data")) {
        texts.add(error != null ? refusal(error) : toJson(schemas[schema], hex.getAsString()));
      }
      JsonArray data = new JsonArray();
      for (JsonElement text : conversion.getAsJsonArray("texts")) {
        data.add(error != null ? refusal(error) : fromJson(schemas[schema], text.getAsString()));
      }
      JsonObject answer = new JsonObject();
      answer.add("texts", texts);
      answer.add("data", data);
      answers.add(answer);
    }
    return answers;
  }

  private static JsonObject toJson(Schema schema, String hex) {
    try {
      BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(HEX.parseHex(hex), null);
      GenericData model = new Ordered();
      Object value = new GenericDatumReader<Object>(schema, schema, model).read(null, decoder);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      Encoder encoder = EncoderFactory.get().jsonEncoder(schema, out);
      new GenericDatumWriter<Object>(schema, model).write(value, encoder);
      encoder.flush();
      JsonObject answer = new JsonObject();
      answer.addProperty("text", out.toString(StandardCharsets.UTF_8));
      return answer;
    } catch (Exception | StackOverflowError | OutOfMemoryError refused) {
      return refusal(refused.toString());
    }
  }

  private static JsonObject fromJson(Schema schema, String text) {
    try {
      Decoder decoder = DecoderFactory.get().jsonDecoder(schema, text);
      GenericData model = new Ordered();
      Object value = new GenericDatumReader<Object>(schema, schema, model).read(null, decoder);
      return inBinary(model, schema, value);
    } catch (Exception | StackOverflowError | OutOfMemoryError refused) {
      return refusal(refused.toString());
    }
  }

  private static JsonArray files(JsonObject request) {
    JsonArray answers = new JsonArray();
    for (JsonElement file : request.getAsJsonArray("files")) {
      answers.add(rewritten(file.getAsString()));
    }
    return answers;
  }

  private static JsonObject rewritten(String hex) {
    try (DataFileReader<Object> reader =
        new DataFileReader<>(
            new SeekableByteArrayInput(HEX.parseHex(hex)), new GenericDatumReader<>())) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      String codec = reader.getMetaString(DataFileConstants.CODEC);
      try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>())) {
        writer.setCodec(CodecFactory.fromString(codec)).create(reader.getSchema(), out);
        for (Object value : reader) {
          writer.append(value);
        }
      }
      JsonObject answer = new JsonObject();
      answer.addProperty("data", HEX.formatHex(out.toByteArray()));
      return answer;
    } catch (Exception | LinkageError refused) {
      return refusal(refused.toString());
    }
  }

  private static JsonObject refusal(String message) {
    JsonObject answer = new JsonObject();
    answer.addProperty("error", message);
    return answer;
  }

  private static void addConversions(GenericData model) {
    model.addLogicalTypeConversion(new Conversions.DecimalConversion());
    model.addLogicalTypeConversion(new Conversions.UUIDConversion());
    model.addLogicalTypeConversion(new TimeConversions.DateConversion());
    model.addLogicalTypeConversion(new TimeConversions.TimeMillisConversion());
    model.addLogicalTypeConversion(new TimeConversions.TimeMicrosConversion());
    model.addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
    model.addLogicalTypeConversion(new TimeConversions.TimestampMicrosConversion());
    model.addLogicalTypeConversion(new TimeConversions.LocalTimestampMillisConversion());
    model.addLogicalTypeConversion(new TimeConversions.LocalTimestampMicrosConversion());
  }

  /** Keeps a map's entries in the order in which they were written. */
  private static final class Ordered extends GenericData {
    @Override
    public Object newMap(Object old, int size) {
      return new LinkedHashMap<Object, Object>();
    }
  }
}
