"""A module whose import fails."""

raise ZeroDivisionError("on purpose")
