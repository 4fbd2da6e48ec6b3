CREATE VIEW v AS SELECT id / 2 AS half, id % 2 AS odd, id + 1 AS next, id * 1.50 AS more FROM people;
