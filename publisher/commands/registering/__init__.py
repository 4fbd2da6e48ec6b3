"""Views of a catalog, made in another engine."""
