-- dialect: spark
CREATE VIEW v AS SELECT int(id) AS small, double(total) AS measured, date(placed) AS day, string(codes) AS text, decimal(id) AS exact, timestamp(note) AS noted, boolean(id) AS some,
  try_element_at(codes, 1) AS first_code, zeroifnull(int(note)) AS counted, nullifzero(id) AS positive, hypot(total, 2) AS far FROM orders;
