"""Child processes that work on untrusted input within limits, and may be killed."""
