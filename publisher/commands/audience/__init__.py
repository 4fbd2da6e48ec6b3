"""Who uses what a plan changes: lock files, counts of downloads and a log of queries; all untrusted."""
