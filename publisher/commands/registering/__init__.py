"""Creates a catalog's views in another engine."""
