"""The loop: from hints to published packages, one relation a unit of work."""
