"""Where wheels are published: a static folder that the daemon serves, or any twine-compatible server."""
