"""Owners of display names survive a restart."""

from collections.abc import Awaitable, Callable

from casino_lobby.store import SqlStore


async def test_owners_are_kept(open_store: Callable[[], Awaitable[SqlStore]]) -> None:
    """In any alphabet."""
    store = await open_store()
    assert await store.name_owners() == {}
    await store.own_name("ada", "key 1")
    await store.own_name("ёж 😀", "key 2")
    assert await store.name_owners() == {"ada": "key 1", "ёж 😀": "key 2"}
    await store.close()
    again = await open_store()
    assert await again.name_owners() == {"ada": "key 1", "ёж 😀": "key 2"}
