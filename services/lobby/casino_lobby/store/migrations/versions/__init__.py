"""Schema revisions, one module each; the DDL of a released revision never changes."""
