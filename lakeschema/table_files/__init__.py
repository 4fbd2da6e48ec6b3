"""Schemas of Delta and Iceberg tables, read from their own files within limits."""
