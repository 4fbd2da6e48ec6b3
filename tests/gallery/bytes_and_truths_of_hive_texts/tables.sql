CREATE TABLE texts (word STRING, code CHAR(5));
