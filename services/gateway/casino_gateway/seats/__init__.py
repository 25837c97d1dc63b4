"""Seats of the gateway: taken, asked, answered, followed."""
