"""Sample players, written as an outsider would write them: with the kit and the contracts alone."""
