-- dialect: spark
CREATE VIEW v AS SELECT * FROM VALUES (1, 'a'), (2, NULL) AS rows(id, word);
