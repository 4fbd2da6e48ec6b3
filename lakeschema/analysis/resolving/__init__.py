"""Resolves names in syntax trees against a catalog, by the scoping rules of each dialect."""
