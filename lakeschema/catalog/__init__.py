"""The lake's catalog: identifiers, column types and relations as values, and three catalog sources."""
