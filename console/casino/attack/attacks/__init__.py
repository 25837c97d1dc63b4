"""The attacks by subject, and the tools they share."""
