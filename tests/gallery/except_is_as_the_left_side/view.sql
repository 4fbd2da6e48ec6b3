-- dialect: spark
CREATE VIEW v AS SELECT name FROM people EXCEPT SELECT name FROM customers;
