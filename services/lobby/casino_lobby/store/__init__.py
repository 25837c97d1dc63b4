"""Stores of rooms, events and commands: in memory or in a database."""

import importlib
import typing

from casino_lobby.errors import StoreFailed
from casino_lobby.store.lobby_store import Store
from casino_lobby.store.memory_store import MemoryStore
from casino_lobby.store.stored_commands import Command
from casino_lobby.store.stored_hands import (
    EVERY_HAND,
    HandFilter,
    HandKey,
    Rank,
    RankedKey,
    StoredHand,
)

if typing.TYPE_CHECKING:
    from casino_lobby.store.sql_store import SqlStore
else:

    def __getattr__(name: str) -> type:
        """Return `SqlStore`, which is imported now: a lobby in memory needs no database."""
        if name != "SqlStore":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return importlib.import_module("casino_lobby.store.sql_store").SqlStore


__all__ = [
    "EVERY_HAND",
    "Command",
    "HandFilter",
    "HandKey",
    "MemoryStore",
    "Rank",
    "RankedKey",
    "SqlStore",
    "Store",
    "StoreFailed",
    "StoredHand",
]
