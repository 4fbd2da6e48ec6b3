"""Views in Git: a folder of queries → checked, planned, written into the metastore, and watched there."""
