"""Stores of rooms, events and commands: in memory or in a database."""

from casino_lobby.errors import StoreFailed
from casino_lobby.store.base import Command, Store
from casino_lobby.store.hands.stored_hand import (
    EVERY_HAND,
    HandFilter,
    HandKey,
    Rank,
    RankedKey,
    StoredHand,
)
from casino_lobby.store.memory import MemoryStore
from casino_lobby.store.sql import SqlStore

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
