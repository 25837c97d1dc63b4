"""Casinos for tests: in one process, of real processes, in containers."""
