"""Seats, questions and matches of the gateway. Pure, no I/O."""
