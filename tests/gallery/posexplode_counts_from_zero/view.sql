CREATE VIEW v AS SELECT id, place, item FROM orders LATERAL VIEW posexplode(items) i AS place, item;
