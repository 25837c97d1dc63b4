"""What a room does, in the page's words: its `status_word.js` has the same. Pure."""

from typing import Final

_ROOM_STATES: Final = {"closed", "failed", "closing", "paused", "opening"}
"""The room's states that say more than the status of its table."""
_WAITS_FOR_TABLE: Final = "waits-for-table"
_NO_TABLE: Final = "no table"
_WORDS: Final = {"running": "playing", "error": "failed"}


def status_word(status: str, state: str | None = None) -> str:
    """Return what a room does, from its table's status and the room's own state.

    >>> status_word("running"), status_word("idle", "closed"), status_word("error")
    ('playing', 'closed', 'failed')
    """
    if state == _WAITS_FOR_TABLE:
        return _NO_TABLE
    return state if state in _ROOM_STATES else _WORDS.get(status, status)
