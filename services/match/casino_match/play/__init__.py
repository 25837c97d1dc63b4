"""Play the hands of a block."""
