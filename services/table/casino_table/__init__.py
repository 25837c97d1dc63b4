"""The table: the agent that deals hands, asks the players and publishes what happened."""
