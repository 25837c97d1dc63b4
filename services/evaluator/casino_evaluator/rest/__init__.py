"""REST API of evaluation sessions."""
