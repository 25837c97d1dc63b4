"""Agent cards as others make them."""
