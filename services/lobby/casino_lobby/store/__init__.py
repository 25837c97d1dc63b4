"""Stores of rooms, events and commands: in memory or in a database."""

from casino_lobby.store.base import Command, Committed, Listener, Store, StoreFailed
from casino_lobby.store.hands import HandKey, StoredHand
from casino_lobby.store.memory import MemoryStore
from casino_lobby.store.sql import SqlStore

__all__ = [
    "Command",
    "Committed",
    "HandKey",
    "Listener",
    "MemoryStore",
    "SqlStore",
    "Store",
    "StoreFailed",
    "StoredHand",
]
