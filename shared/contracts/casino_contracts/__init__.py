"""The words of the casino: one pydantic model for every message that crosses a process border."""
