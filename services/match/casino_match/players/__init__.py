"""The players of a match: functions, styles of the sample players, agents."""
