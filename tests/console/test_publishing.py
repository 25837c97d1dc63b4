"""Results at a lobby: their ids, what is replaced, and results with very many pairs."""

import pytest
from casino.errors import CallFailed
from casino.lobby_api import LobbyApi
from casino.publishing import (
    league_id_of,
    match_id_of,
    publish_league,
    publish_match,
    small_enough,
)
from support.casino.casino_side import LOBBY, casino_harness
from support.matches.results import league_table, match_result


async def test_the_same_result_has_the_same_id_and_is_published_once() -> None:
    """Another result with a chosen id is refused, unless it replaces the earlier one."""
    first, second = match_result(decks=100), match_result(decks=200)
    async with casino_harness() as there:
        api = LobbyApi(LOBBY, there.http()._transport)
        for _ in range(2):
            summary = await publish_match(api, first)
        assert summary.match_id == match_id_of(first)
        assert (await publish_match(api, second)).match_id != summary.match_id
        await publish_match(api, first, "mine")
        with pytest.raises(CallFailed, match="If-Match"):
            await publish_match(api, second, "mine")
        assert (await publish_match(api, second, "mine", replaces=True)).decks == 200
        summary_of_league = await publish_league(api, league_table(["a", "b"]))
        assert summary_of_league.league_id == "league"
        await api.close()


def test_ids_have_no_letters_that_links_encode() -> None:
    result = match_result(name="a/b ёж: best of 3?")
    assert match_id_of(result).startswith("a-b-best-of-3-")
    assert match_id_of(match_result(name="??")).startswith("match-")
    assert league_id_of(league_table(["a", "b"]).model_copy(update={"name": "ёж"})) == "league"


def test_a_result_of_very_many_pairs_becomes_small_enough() -> None:
    """Its courses have fewer points, and end where they did."""
    result = match_result([f"player {number}" for number in range(10)], points=200)
    assert len(result.wire()) < 1024 * 1024
    small = small_enough(result, 300_000)
    assert len(small.wire()) <= 300_000
    for before, after in zip(result.pairs, small.pairs, strict=True):
        assert 2 <= len(after.series) < 200
        assert after.series[-1] == before.series[-1]
        assert after.estimates == before.estimates
    with pytest.raises(CallFailed, match="larger than 1000 bytes"):
        small_enough(result, 1_000)
