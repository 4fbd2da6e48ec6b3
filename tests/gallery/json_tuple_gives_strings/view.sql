CREATE VIEW v AS SELECT j.a, j.b FROM customers LATERAL VIEW json_tuple(name, 'a', 'b') j AS a, b;
