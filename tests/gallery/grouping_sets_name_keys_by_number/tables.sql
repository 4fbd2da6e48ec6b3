CREATE TABLE people (id BIGINT, name STRING);
