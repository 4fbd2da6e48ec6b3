CREATE TABLE orders (year int, volume double, total double);
