"""The table: the agent that deals hands, asks the players and publishes what happened."""

from importlib.metadata import version

__version__ = version("a2a-casino")
