"""The users affected by a plan: lock files, counts of downloads and a log of queries; all untrusted."""
