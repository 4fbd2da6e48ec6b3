CREATE TABLE t (id INT NOT NULL, name STRING COMMENT 'What it is called', amount DECIMAL(15,2),
  tags ARRAY<STRING>, attributes MAP<STRING,BIGINT>,
  items ARRAY<STRUCT<sku:STRING,price:DECIMAL(10,2)>>, s STRUCT<a:INT,b:STRUCT<c:STRING>>) USING delta;
CREATE TABLE u (id INT NOT NULL, label STRING, ratio FLOAT) USING delta;
