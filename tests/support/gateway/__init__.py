"""Seats of the gateway, with injected time, and a gateway as a process."""
