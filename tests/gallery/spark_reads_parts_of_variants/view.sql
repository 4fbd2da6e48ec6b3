-- dialect: spark
CREATE VIEW v AS SELECT id, variant_get(parse_json(name), '$.mail', 'string') AS mail, parse_json(name):age::int, parse_json(name) AS whole FROM people;
