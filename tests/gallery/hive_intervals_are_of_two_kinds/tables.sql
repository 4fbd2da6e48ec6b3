CREATE TABLE trials (begins DATE, at TIMESTAMP);
