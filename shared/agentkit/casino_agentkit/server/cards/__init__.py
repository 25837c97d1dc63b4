"""The agent card of a served agent: its content, and the page."""
