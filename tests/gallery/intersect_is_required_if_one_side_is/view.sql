-- dialect: spark
CREATE VIEW v AS SELECT name FROM customers INTERSECT SELECT name FROM people;
