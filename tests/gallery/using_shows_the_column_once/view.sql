-- dialect: spark
CREATE VIEW v AS SELECT * FROM customers JOIN visits USING (name);
