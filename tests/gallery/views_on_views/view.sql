CREATE VIEW w AS SELECT id AS Key, upper(name) AS Name FROM member;
CREATE VIEW v AS SELECT key, name FROM w WHERE key > 3;
