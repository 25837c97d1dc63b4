"""Events as tables report them: decoded, numbered, checked as a batch, and the recent ones."""
