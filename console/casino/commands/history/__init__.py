"""Commands `casino export` and `casino replay`."""
