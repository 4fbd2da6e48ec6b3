CREATE TABLE runs (name STRING, team STRING, seconds INT);
