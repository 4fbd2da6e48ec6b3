CREATE TABLE shop (id INT, home STRUCT<street:STRING>)
  TBLPROPERTIES ('avro.schema.literal' = '{"type":"record","name":"shop","fields":[
    {"name":"id","type":"int"},
    {"name":"home","type":{"type":"record","name":"Address","fields":[
      {"name":"street","type":"string"}]}}]}');
CREATE TABLE client (id INT, home STRUCT<zip:INT>, office STRUCT<zip:INT>, kind STRING)
  TBLPROPERTIES ('avro.schema.literal' = '{"type":"record","name":"client","fields":[
    {"name":"id","type":"int"},
    {"name":"home","type":{"type":"record","name":"Address","fields":[
      {"name":"zip","type":"int"}]}},
    {"name":"office","type":"Address"},
    {"name":"kind","type":{"type":"enum","name":"Kind","symbols":["NEW","OLD"]}}]}');
