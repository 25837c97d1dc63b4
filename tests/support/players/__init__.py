"""Player agents for tests."""
