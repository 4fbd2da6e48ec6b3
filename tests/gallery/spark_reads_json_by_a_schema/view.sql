-- dialect: spark
CREATE VIEW v AS SELECT id, from_json(body, 'buyer STRUCT<name: STRING NOT NULL, vip: BOOLEAN>, lines ARRAY<STRUCT<sku: STRING, price: DECIMAL(10,2)>>') AS document,
  from_json(body, schema_of_json('{"z": 1.5, "a": [1, null], "when": "now"}')) AS sampled, to_json(prices) AS text, json_object_keys(body) AS keys FROM orders;
