CREATE TABLE people (name VARCHAR(20), born DATE, seen TIMESTAMP, address STRUCT<street:STRING,city:STRING>, tags MAP<STRING,INT>);
