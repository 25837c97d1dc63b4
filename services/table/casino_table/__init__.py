"""The table agent: deals hands, asks players for decisions, publishes events."""

from importlib.metadata import version

__version__ = version("a2a-casino")
