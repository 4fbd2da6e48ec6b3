CREATE TABLE customers (name STRING, country CHAR(2), since TIMESTAMP, score DOUBLE, active BOOLEAN);
