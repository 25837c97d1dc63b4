"""Conformance of a bot: plays the lobby's and the table's part against it, and reports."""
