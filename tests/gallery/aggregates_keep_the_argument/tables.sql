CREATE TABLE company (id BIGINT, name STRING, address STRUCT<streetname:STRING,state:STRING>)
TBLPROPERTIES ('avro.schema.literal' = '{"type": "record", "name": "Company", "namespace": "com.example",
 "fields": [{"name": "Id", "type": "long"},
  {"name": "Name", "type": ["null", "string"], "default": null, "doc": "As registered."},
  {"name": "Address", "type": ["null", {"type": "record", "name": "Address", "fields": [
    {"name": "StreetName", "type": "string"},
    {"name": "State", "type": {"type": "enum", "name": "State", "symbols": ["CA", "NY"], "default": "CA"}}]}],
   "default": null}]}');
