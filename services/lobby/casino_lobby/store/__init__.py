"""Where rooms and events are kept."""

from casino_lobby.store.memory import MemoryStore
from casino_lobby.store.store import Store

__all__ = ["MemoryStore", "Store"]
