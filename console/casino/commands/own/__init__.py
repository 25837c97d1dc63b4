"""Commands for the author of a bot that plays."""
