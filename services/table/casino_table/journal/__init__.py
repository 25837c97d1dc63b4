"""The journal: every change of a table, written before it is published."""
