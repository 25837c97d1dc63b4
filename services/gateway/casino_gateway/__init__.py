"""Gateway: seats for programs and people that are no A2A agents."""

from importlib.metadata import version

__version__ = version("a2a-casino")
