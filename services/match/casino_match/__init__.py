"""Matches: reproducible experiments that say which of several bots plays better."""

from importlib.metadata import version

__version__ = version("a2a-casino")
