CREATE TABLE t (`class` INT, `select` STRING, `from` DATE);
