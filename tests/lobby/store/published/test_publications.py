"""Publications are kept, replaced, found and deleted, in memory and in both databases."""

from collections.abc import Awaitable, Callable

import pytest
from casino_lobby.errors import TooManyPublications
from casino_lobby.store import SqlStore, Store
from casino_lobby.store.publications import (
    ANY_DIGEST,
    MemoryPublications,
    Publication,
    PublicationKind,
    Publications,
)
from casino_lobby.store.sql_publications import SqlPublications

ODD = 'ёж\'s "bot" %_😀'


def publication(
    publication_id: str,
    digest: str = "d1",
    *players: str,
    kind: PublicationKind = "match",
    content: str = "{}",
) -> Publication:
    summary = f'{{"id": "{publication_id}", "digest": "{digest}"}}'
    return Publication(kind, publication_id, digest, summary, content, players)


async def ids(published: Publications, *players: str, kind: PublicationKind = "match") -> list[str]:
    return [entry.publication_id for entry in await published.page(kind, None, 100, players)]


async def test_what_is_put_can_be_read_by_its_kind(any_store: Store) -> None:
    published = any_store.published
    for new in (publication(ODD, "d1", "a", ODD), publication(ODD, "d2", kind="league")):
        assert await published.put(new) is None
        assert await published.get(new.kind, ODD) == new
    assert await published.get("match", "other") is None


async def test_another_digest_replaces_only_on_purpose(every_store: Store) -> None:
    published = every_store.published
    await published.put(publication("m", "d1", "a", "b"))
    assert await published.put(publication("m", "d2", "a", "c")) == "d1"
    assert await published.put(publication("m", "d2", "a", "c"), "d3") == "d1"
    assert await ids(published, "b") == ["m"]
    assert await published.put(publication("m", "d2", "a", "c"), "d1") is None
    assert await published.put(publication("m", "d3", "a", "d"), ANY_DIGEST) is None
    assert await ids(published, "c") == await ids(published, "b") == []
    assert await ids(published, "d", "a") == ["m"]


async def test_an_equal_one_keeps_its_place_and_a_newer_one_is_the_first(any_store: Store) -> None:
    published = any_store.published
    for name in ("one", "two"):
        await published.put(publication(name))
    await published.put(publication("one"))
    assert await ids(published) == ["two", "one"]
    await published.put(publication("one", content='{"later": 1}'))
    assert await ids(published) == ["one", "two"]
    found = await published.get("match", "one")
    assert found is not None
    assert found.content == '{"later": 1}'


async def test_pages_leave_nothing_out_and_repeat_nothing(every_store: Store) -> None:
    published = every_store.published
    for number in range(7):
        await published.put(publication(str(number), "d", "a", *(["b"] if number % 2 else [])))
    await published.put(publication("9", kind="league"))
    first = await published.page("match", None, 3)
    assert [entry.publication_id for entry in first] == ["6", "5", "4"]
    assert await published.delete("match", "4")
    await published.put(publication("new"))
    rest = await published.page("match", first[-1].position, 10)
    assert [entry.publication_id for entry in rest] == ["3", "2", "1", "0"]
    assert await ids(published, "a", "b") == ["5", "3", "1"]
    assert await ids(published, "a", "nobody") == []
    assert await ids(published, kind="league") == ["9"]


async def test_it_is_deleted_only_if_it_was_there(any_store: Store) -> None:
    published = any_store.published
    await published.put(publication("m", "d1", "a"))
    assert not await published.delete("league", "m")
    assert await published.delete("match", "m")
    assert not await published.delete("match", "m")
    assert await ids(published) == await ids(published, "a") == []
    assert await published.put(publication("m", "d2", "a")) is None


async def test_there_is_a_limit_for_each_kind(store: SqlStore) -> None:
    every: list[Publications] = [
        SqlPublications(store.database, store.writer, most=2),
        MemoryPublications(most=2),
    ]
    for published in every:
        for name in ("one", "two"):
            await published.put(publication(name))
        with pytest.raises(TooManyPublications):
            await published.put(publication("three"))
        assert await published.put(publication("two", "d2"), "d1") is None
        await published.put(publication("three", kind="league"))
        await published.delete("match", "one")
        assert await published.put(publication("three")) is None


async def test_it_outlives_the_process(open_store: Callable[[], Awaitable[SqlStore]]) -> None:
    store = await open_store()
    new = publication("m", "d1", "a", "b")
    await store.published.put(new)
    (before,) = await store.published.page("match", None, 10, ["a"])
    await store.close()
    again = await open_store()
    assert await again.published.get("match", "m") == new
    assert await again.published.page("match", None, 10, ["b"]) == [before]
