CREATE TABLE west (b STRUCT<b1:STRING>)
  TBLPROPERTIES ('avro.schema.literal' = '{"type":"record","name":"west","fields":[
    {"name":"b","type":{"type":"record","name":"B","fields":[
      {"name":"b1","type":"string"}]}}]}');
CREATE TABLE east (b STRUCT<b1:STRING,b2:INT>)
  TBLPROPERTIES ('avro.schema.literal' = '{"type":"record","name":"east","fields":[
    {"name":"b","type":{"type":"record","name":"B","fields":[
      {"name":"b1","type":"string"},
      {"name":"b2","type":"int"}]}}]}');
