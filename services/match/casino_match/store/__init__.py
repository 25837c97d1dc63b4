"""Files of a match: its plan and its blocks."""
