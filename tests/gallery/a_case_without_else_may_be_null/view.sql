CREATE VIEW v AS SELECT CASE WHEN id > 1 THEN name END AS some, CASE WHEN id > 1 THEN name ELSE 'none' END AS every FROM people;
