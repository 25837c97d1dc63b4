"""Sample players, built only with the public kit and contracts, as third parties would.

A style of Hold'em is one function that takes an ActionRequest and returns an ActionResponse.
It keeps no state between turns and derives randomness from the request, so that the same request
gets the same answer. `generic` and `llm` play any game: they read its specification at the lobby
before they sit down.
"""

from importlib.metadata import version

__version__ = version("a2a-casino")
