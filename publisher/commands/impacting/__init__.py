"""The effects of a change of a column or a relation, in one answer."""
