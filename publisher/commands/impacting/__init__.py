"""What a change of a column or a relation hits, in one answer."""
