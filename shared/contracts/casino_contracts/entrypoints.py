"""Entrypoints of the casino's agents: how they may be called, and the tokens that calls carry.

The tokens are derived from keys of a room; none is stored.

```
room secret (the lobby's, never sent)
├── room key of an epoch      sent to the table in configureTable, as casinoCallback.secret
│   ├── table token           the lobby sends it to the table with every call
│   └── events token          the table sends it to the lobby with every batch of events
└── seat token of a player    sent to the player in signup and to the table with the seat;
    │                         the table sends it to the player with every `act`
    └── view key              derived by the player: reads its own hands at the lobby, and no more
```

A replaced table has only its own epoch's key, which does not reveal the next one.
"""

import hmac
from collections.abc import Callable
from typing import Annotated, Final, Literal, NamedTuple, get_args

from pydantic import AfterValidator, Field

Skill = Literal[
    # a player's
    "signup", "act", "notify", "contribute",
    # a table's
    "configureTable", "registerPlayer", "startGame", "leaveTable", "tableSummary", "handRecord",
    "closeTable",
    # a lobby's; registerPlayer and contribute, too
    "createRoom", "leaveRoom", "startRoom", "listRooms", "registerTable", "recordGameEvent",
    "recordTableEvents",
    # that of a service of matches
    "runMatch",
]  # fmt: skip

SKILLS: Final[frozenset[str]] = frozenset(get_args(Skill))
_RESERVED: Final = frozenset(skill.lower() for skill in SKILLS)


def may_be_called(purpose: Skill, name: str) -> bool:
    """Return whether an entrypoint may have a name: its own, or one that is not reserved.

    >>> may_be_called("signup", "join"), may_be_called("signup", "closeTable")
    (True, False)
    """
    return name == purpose or name.lower() not in _RESERVED


def _named(purpose: Skill) -> Callable[[str], str]:
    def check(name: str) -> str:
        if not may_be_called(purpose, name):
            raise ValueError(f"must not be the name of another entrypoint; the usual is {purpose}")
        return name

    return check


_Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:~/-]*$",
        description="Letters, digits and . _ : ~ / -, starting with a letter or digit.",
    ),
]
SignupSkill = Annotated[_Name, AfterValidator(_named("signup"))]
ActionSkill = Annotated[_Name, AfterValidator(_named("act"))]
ConfigureSkill = Annotated[_Name, AfterValidator(_named("configureTable"))]
RegisterSkill = Annotated[_Name, AfterValidator(_named("registerPlayer"))]
StartSkill = Annotated[_Name, AfterValidator(_named("startGame"))]
SummarySkill = Annotated[_Name, AfterValidator(_named("tableSummary"))]
EventSkill = Annotated[_Name, AfterValidator(_named("recordGameEvent"))]


def _derived(key: str, name: str) -> str:
    return hmac.digest(key.encode(), name.encode(), "sha256").hex()


class RoomKey(NamedTuple):
    """Key of one epoch of one room."""

    secret: str

    @classmethod
    def of_epoch(cls, room_secret: str, epoch: int) -> "RoomKey":
        return cls(_derived(room_secret, f"epoch/{epoch}"))

    @property
    def table(self) -> str:
        """Bearer token of the lobby at the table."""
        return _derived(self.secret, "table")

    @property
    def events(self) -> str:
        """Bearer token of the table at the lobby."""
        return _derived(self.secret, "events")


def seat_token(room_secret: str, player_id: str) -> str:
    """Derive the bearer token of a room's table at a player."""
    return _derived(room_secret, f"seat/{player_id}")


def view_key(token: str) -> str:
    """Derive what reads the player's own hands, and does not reveal the seat token."""
    return _derived(token, "view")
