"""Dictionary of bounded size that evicts the least recently used entry."""

from collections import OrderedDict
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


class LruDict(Generic[KeyT, ValueT]):
    """The `size` most recently used entries; `get` and `put` use an entry.

    >>> classes = LruDict[str, int](2)
    >>> classes.put("a", 1), classes.put("b", 2), classes.get("a"), classes.put("c", 3)
    (None, None, 1, None)
    >>> classes.get("b"), classes.get("a"), len(classes)
    (None, 1, 2)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[KeyT, ValueT] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: KeyT) -> ValueT | None:
        """Return an entry's value, None without one."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def remove(self, key: KeyT) -> None:
        """Remove an entry, if there is one."""
        self._entries.pop(key, None)

    def put(self, key: KeyT, value: ValueT) -> None:
        """Store a value, and evict the least recently used entry if there are too many."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)
