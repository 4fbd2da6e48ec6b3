-- dialect: spark
CREATE VIEW v AS SELECT * FROM customers NATURAL JOIN visits;
