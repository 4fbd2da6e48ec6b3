CREATE TABLE people (id BIGINT, name STRING, born DATE, home STRUCT<street:STRING,zip:INT>, mails ARRAY<STRING>)
TBLPROPERTIES ('avro.schema.literal' = '{"type": "record", "name": "Person", "namespace": "com.example",
 "fields": [{"name": "Id", "type": "long", "doc": "Never reused."},
  {"name": "Name", "type": "string"},
  {"name": "Born", "type": ["null", {"type": "int", "logicalType": "date"}], "default": null},
  {"name": "Home", "type": ["null", {"type": "record", "name": "Home", "fields": [
    {"name": "Street", "type": "string"}, {"name": "Zip", "type": ["null", "int"], "default": null}]}], "default": null},
  {"name": "Mails", "type": {"type": "array", "items": "string"}}]}');
