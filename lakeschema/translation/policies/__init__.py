"""Who may see what of tables and views: rules, what they choose, and what becomes of values."""
