CREATE VIEW v AS SELECT array(name, 'x') AS names, map('id', id) AS ids, named_struct('Key', id, 'Value', born) AS pair FROM people;
