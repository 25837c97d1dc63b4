"""The lobby: the agent that opens rooms, seats players and keeps the record of what was played."""
