"""What exists in the lake: identifiers, column types and relations as values, and three catalogs that answer them."""
