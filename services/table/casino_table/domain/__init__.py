"""The table: seats, chips, positions; pure, no I/O."""
