"""Directory of the journals of a room's launched table."""

import hashlib
import re
from pathlib import Path

_EARLIER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}")
"""Ids of rooms of earlier releases, whose directories are named by them."""
_DIGITS = 32


def journal_directory(tables: Path, room_id: str) -> Path:
    """Return the directory below `tables` for a room, named by a hash of its id.

    An id may hold `/`, or differ from another only in case. The directory that an earlier release
    named by the id is used if it exists; no id leads to a directory that is named by a hash.
    """
    if _EARLIER_ID.fullmatch(room_id) and (tables / room_id).is_dir():
        return tables / room_id
    digest = hashlib.sha256(room_id.encode()).hexdigest()
    return tables / f"_{digest[:_DIGITS]}"
