"""Places where wheels are published: a static folder that the daemon serves, or a twine server."""
