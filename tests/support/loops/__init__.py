"""Event loops for tests: each kind, and one whose clock is shifted."""
