CREATE TABLE calls (id INT, duration STRING, price DECIMAL(10,2));
