"""The demo: the complete flow on local servers, printed step by step."""
