"""Completed hands as one of their players may see them."""
