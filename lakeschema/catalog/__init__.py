"""Catalogs of a data lake: names, column types and relations as values, and an adapter for each catalog."""
