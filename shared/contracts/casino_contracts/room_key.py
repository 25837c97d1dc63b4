"""Keys of a room and the tokens derived from them; none is stored.

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
from typing import NamedTuple


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
