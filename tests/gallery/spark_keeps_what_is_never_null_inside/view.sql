-- dialect: spark
CREATE VIEW v AS SELECT array_append(array(id), -1L) AS appended, array_insert(array(id), 3, -1L) AS inserted, array_compact(codes) AS compacted, map_entries(prices) AS entries,
  sequence(1, 3) AS counted, flatten(array(codes, array('x'))) AS flat, arrays_zip(codes, sequence(1, 2)) AS zipped, transform(array(id), x -> named_struct('was', x, 'half', x / 2)) AS changed FROM orders;
