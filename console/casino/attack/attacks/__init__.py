"""The attacks, by what they try."""
