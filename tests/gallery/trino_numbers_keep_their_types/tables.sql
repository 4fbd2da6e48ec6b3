CREATE TABLE sales (shop STRING, pieces INT, price DECIMAL(10,2), weight DOUBLE, tax FLOAT);
