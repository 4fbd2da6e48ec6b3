CREATE TABLE visits (id BIGINT NOT NULL, shop STRING, city STRING, amount DECIMAL(10,2), minutes INT, url STRING) USING delta;
