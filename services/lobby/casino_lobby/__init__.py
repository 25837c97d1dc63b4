"""The lobby: the agent that opens rooms, seats players and keeps the record of what was played."""

from importlib.metadata import version

__version__ = version("a2a-casino")
