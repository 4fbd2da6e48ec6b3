CREATE TABLE member (id BIGINT, name STRING, companyid BIGINT, position STRING)
TBLPROPERTIES ('avro.schema.literal' = '{"type": "record", "name": "Member", "namespace": "com.example",
 "fields": [{"name": "Id", "type": "long", "doc": "Who it is."},
  {"name": "Name", "type": ["null", "string"], "default": null, "pii": "name"},
  {"name": "CompanyId", "type": "long"},
  {"name": "Position", "type": ["null", "string"], "default": null}]}');
