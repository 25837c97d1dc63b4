"""A lobby of a group: one of several that are active on one database. Pure."""

from typing import NamedTuple


class Member(NamedTuple):
    """One lobby of a group.

    `url` is the address where the other members reach it.
    """

    number: int
    url: str
