"""The command `casino league`."""
