"""Where rooms and events are kept."""

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
