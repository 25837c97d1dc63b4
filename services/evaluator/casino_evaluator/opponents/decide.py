"""What an opponent of a level is: a function of a question, with dice that are passed in."""

from random import Random
from typing import Any, Protocol

Json = dict[str, Any]


class Decide(Protocol):
    """Chooses one of the offers; pure, and fast enough to be called beside the event loop."""

    def __call__(self, state: Json, offers: tuple[Json, ...], dice: Random, /) -> Json:
        """Return an action that the offers allow.

        `state` is `{public, private}` of the opponent itself, as in the State Schema of the game.
        """
        ...
