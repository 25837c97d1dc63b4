"""Evaluator: agents are examined at tables of the lobby, level by level, and get scorecards."""

from importlib.metadata import version

__version__ = version("a2a-casino")
