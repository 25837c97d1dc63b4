"""What the tests read of a lobby's data directory."""

from pathlib import Path

from casino_lobby.store import SqlStore

FILES = ["card-key.pem", "casino.db", "tables/_0123/table-1.journal"]


def files_of(directory: Path) -> list[str]:
    """Return the files below a directory but locks."""
    found = (path for path in directory.rglob("*") if path.is_file() and path.suffix != ".lock")
    return sorted(str(path.relative_to(directory)) for path in found)


def names_in(directory: Path) -> list[str]:
    """Return the names of the entries of a directory."""
    return sorted(path.name for path in directory.iterdir())


async def hands_in(database: Path) -> int:
    """Return how many hands a lobby would find in a database."""
    store = SqlStore(f"sqlite+aiosqlite:///{database}")
    await store.open()
    try:
        room = store.room("r1")
        assert room is not None
        assert sum((await store.balances("r1")).values()) == 0
        return room.hand_count
    finally:
        await store.close()
