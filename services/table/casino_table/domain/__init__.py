"""Table state: seats, chips, positions. Pure, no I/O."""
