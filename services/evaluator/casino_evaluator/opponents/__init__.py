"""The opponents: each decides from a question alone, with dice that are passed in."""
