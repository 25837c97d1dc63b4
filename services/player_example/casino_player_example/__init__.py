"""Sample players, written as an outsider would write them: with the kit and the contracts alone.

From easy to hard: `caller`, `random_player`, `maniac`, `tight`, `equity`.
Each is one function that takes an ActionRequest and returns an ActionResponse.
They keep nothing between turns, and what they draw at random follows from the question: asked the
same again, they answer the same.

`generic` and `llm` play any game: they read its specification at the lobby when they first meet it.
"""

from importlib.metadata import version

__version__ = version("a2a-casino")
