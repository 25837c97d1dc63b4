"""What a member publishes, every member shows."""

import asyncio

import pytest
from casino_lobby.errors import StoreFailed
from casino_lobby.store.published.publication import Publication
from support.group.members import Lobbies

pytestmark = pytest.mark.full


async def test_every_member_shows_what_any_of_them_has_published(lobbies: Lobbies) -> None:
    """Two of them at the same time: of different results under an id a single one is kept."""
    one, other = await lobbies.open(2)
    first = Publication("match", "m", "d1", "{}", "{}", ("a", "b"))
    assert await one.store.published.put(first) is None
    assert await other.store.published.get("match", "m") == first
    assert await other.store.published.put(Publication("match", "m", "d2", "{}", "{}")) == "d1"
    both = [
        member.store.published.put(Publication("match", "same", digest, "{}", "{}"))
        for member, digest in ((one, "d1"), (other, "d2"))
    ]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    kept = await one.store.published.get("match", "same")
    assert kept is not None
    winner = outcomes[("d1", "d2").index(kept.digest)]
    assert winner is None
    (loser,) = (outcome for outcome in outcomes if outcome is not winner)
    assert loser == kept.digest or isinstance(loser, StoreFailed)
    assert await other.store.published.delete("match", "same")
    assert await one.store.published.get("match", "same") is None
