CREATE VIEW v (buyer COMMENT 'Declared here.', spent) COMMENT 'What buyers spent.' AS SELECT customer, total FROM orders;
