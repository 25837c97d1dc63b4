"""The virtual event loop of core tests."""
