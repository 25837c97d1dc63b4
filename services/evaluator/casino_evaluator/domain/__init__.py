"""Games, levels, sessions and scorecards of the evaluator. Pure, no I/O."""
