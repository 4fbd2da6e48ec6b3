CREATE VIEW v AS SELECT max(address.state) AS Last, collect_set(name) AS Names, count(DISTINCT id) AS Companies, avg(id) AS Mean FROM company;
