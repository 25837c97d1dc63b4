"""Run a match from its plan to its result: what is missing is played, then everything counted."""
