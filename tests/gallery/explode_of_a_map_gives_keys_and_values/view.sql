CREATE VIEW v AS SELECT id, tag, word FROM orders LATERAL VIEW explode(tags) t AS tag, word;
