"""Writers: each turns hands into the text or rows of a format, a hand at a time."""
