"""Where in a room's play an event is."""

from typing import NamedTuple


class Place(NamedTuple):
    """The place of an event in its room; places sort in the order of play."""

    epoch: int
    sequence: int
