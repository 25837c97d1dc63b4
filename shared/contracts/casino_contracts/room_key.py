"""The keys of a room, and the rights that follow from them; nothing of it is stored.

```
room secret (the lobby's, never sent)
├── room key of an epoch      sent to the table in configureTable, as casinoCallback.secret
│   ├── table right           the lobby shows it to the table with every call
│   └── events right          the table shows it to the lobby with every batch of events
└── seat token of a player    sent to the player in signup and to the table with the seat;
                              the table shows it to the player with every `act`
```

A table that was replaced knows the key of its own epoch, and so nothing of the next one's.
"""

import hashlib
import hmac
from typing import NamedTuple


def _derived(key: str, name: str) -> str:
    return hmac.new(key.encode(), name.encode(), hashlib.sha256).hexdigest()


class RoomKey(NamedTuple):
    """The key of one epoch of one room."""

    secret: str

    @classmethod
    def of_epoch(cls, room_secret: str, epoch: int) -> "RoomKey":
        """Return the key of an epoch."""
        return cls(_derived(room_secret, f"epoch/{epoch}"))

    @property
    def table(self) -> str:
        """What the lobby shows to the table."""
        return _derived(self.secret, "table")

    @property
    def events(self) -> str:
        """What the table shows to the lobby."""
        return _derived(self.secret, "events")


def seat_token(room_secret: str, player_id: str) -> str:
    """Return what a room's table shows to a player."""
    return _derived(room_secret, f"seat/{player_id}")
