CREATE TABLE baskets (id BIGINT, prices ARRAY<DOUBLE>, counts MAP<STRING, INT>);
