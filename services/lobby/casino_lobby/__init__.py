"""The lobby agent: opens rooms, seats players and records all play."""

from importlib.metadata import version

__version__ = version("a2a-casino")
