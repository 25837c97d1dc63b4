"""What `deploy/` describes, as the tests read it."""
