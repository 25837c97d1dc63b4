"""`casino join`: a Python function becomes a seated agent."""
