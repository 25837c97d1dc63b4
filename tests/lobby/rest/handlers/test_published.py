"""Published matches and leagues over REST."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_contracts import League, LeagueList, MatchHand, MatchList, MatchResult, MatchSummary
from casino_lobby.store import MemoryStore, SqlStore
from casino_lobby.store.publications import ANY_DIGEST
from sqlalchemy import text
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.matches.results import league_table, match_result

ODD = "a/b ёж 😀"


async def put(http: httpx.AsyncClient, path: str, body: Any, **headers: str) -> httpx.Response:
    return await http.put(f"/v1/{path}", content=body.wire(), headers=headers)


async def listed(http: httpx.AsyncClient, query: str = "") -> list[str]:
    reply = await http.get(f"/v1/matches{query}")
    assert reply.status_code == 200, reply.text
    return [match.match_id for match in MatchList.model_validate_json(reply.content).matches]


async def test_a_match_is_published_read_and_deleted() -> None:
    result = match_result(["equity", "tight", "loose"])
    async with casino_harness() as harness:
        http = Operator(harness).http
        reply = await put(http, "matches/a%2Fb%20%D1%91%D0%B6%20%F0%9F%98%80", result)
        assert reply.status_code == 200, reply.text
        summary = MatchSummary.model_validate_json(reply.content)
        assert (summary.match_id, summary.players) == (ODD, ("equity", "tight", "loose"))
        assert [pair.verdict for pair in summary.pairs] == ["better", "better", "better"]
        assert summary.pairs[1].interval == result.pairs[1].simultaneous
        path = f"/v1/matches/{httpx.URL(path=f'/{ODD}').raw_path[1:].decode().replace('/', '%2F')}"
        read = await http.get(path)
        assert MatchResult.model_validate_json(read.content) == result
        page = MatchList.model_validate_json((await http.get("/v1/matches")).content)
        assert page.matches == (summary,)
        gone = await http.delete(path)
        assert MatchSummary.model_validate_json(gone.content) == summary
        for again in (await http.get(path), await http.delete(path)):
            assert again.status_code == 404
            assert again.json()["type"] == "/problems/match-not-found"
        assert await listed(http) == []


async def test_the_same_result_again_is_no_conflict_and_another_is() -> None:
    first, second = match_result(decks=1_000), match_result(decks=2_000)
    async with casino_harness() as harness:
        http = Operator(harness).http
        for _ in range(2):
            assert (await put(http, "matches/m", first)).status_code == 200
        refused = await put(http, "matches/m", second)
        assert refused.status_code == 409
        assert refused.json()["type"] == "/problems/match-exists"
        assert first.digest in refused.json()["detail"]
        wrong = await put(http, "matches/m", second, **{"If-Match": second.digest})
        assert wrong.status_code == 409
        unreadable = await put(http, "matches/m", second, **{"If-Match": "W/7"})
        assert unreadable.status_code == 422
        assert unreadable.json()["errors"][0]["pointer"] == "#/If-Match"
        right = await put(http, "matches/m", second, **{"If-Match": f'"{first.digest}"'})
        assert right.json()["decks"] == 2_000
        assert (await put(http, "matches/m", first, **{"If-Match": "*"})).status_code == 200


async def test_matches_are_found_by_player_and_by_pair() -> None:
    async with casino_harness() as harness:
        http = Operator(harness).http
        for number, names in enumerate((["a", "b"], ["a", "c"], ["b", "c", "a"], ["c", "d"])):
            reply = await put(http, f"matches/{number}", match_result(names))
            assert reply.status_code == 200
        assert await listed(http) == ["3", "2", "1", "0"]
        assert await listed(http, "?player=a") == ["2", "1", "0"]
        assert await listed(http, "?player=a&opponent=b") == ["2", "0"]
        assert await listed(http, "?player=nobody") == []
        page = (await http.get("/v1/matches?player=c&limit=2")).json()
        assert [match["matchId"] for match in page["matches"]] == ["3", "2"]
        rest = (await http.get(f"/v1/matches?player=c&after={page['next']}")).json()
        assert [match["matchId"] for match in rest["matches"]] == ["1"]
        assert "next" not in rest


async def test_a_league_is_replaced_by_its_newer_state() -> None:
    names = ["equity", "tight", "loose"]
    async with casino_harness() as harness:
        http = Operator(harness).http
        for league in (league_table(names[:2]), league_table(names)):
            reply = await put(http, "leagues/styles", league)
            assert reply.status_code == 200, reply.text
            read = await http.get("/v1/leagues/styles")
            assert League.model_validate_json(read.content) == league
        page = LeagueList.model_validate_json((await http.get("/v1/leagues")).content)
        assert [(one.league_id, one.players, one.leader) for one in page.leagues] == [
            ("styles", 3, "equity")
        ]
        for player, found in (("tight", 1), ("nobody", 0)):
            of_player = (await http.get(f"/v1/leagues?player={player}")).json()
            assert len(of_player["leagues"]) == found
        assert (await http.delete("/v1/leagues/styles")).json()["name"] == "league"
        for gone in (await http.get("/v1/leagues/styles"), await http.delete("/v1/leagues/styles")):
            assert gone.json()["type"] == "/problems/league-not-found"


async def test_what_is_no_result_is_refused_by_the_name_of_its_field() -> None:
    async with casino_harness() as harness:
        http = Operator(harness).http
        for change, pointer in (
            ({"digest": "sha256:0"}, "#/digest"),
            ({"hands": -1}, "#/hands"),
            ({"name": "a\u0000b"}, "#/name"),
            ({"players": []}, "#/players"),
            ({"extra": 1}, "#/extra"),
            ({"notableHands": [{"extra": 1}]}, "#/notableHands/0/extra"),
        ):
            body = {**match_result().model_dump(mode="json"), **change}
            reply = await http.put("/v1/matches/m", json=body)
            assert reply.status_code == 422, reply.text
            assert pointer in {fault["pointer"] for fault in reply.json()["errors"]}
        assert (await put(http, "leagues/%20", league_table(["a", "b"]))).status_code == 422
        assert await listed(http) == []


async def test_a_notable_hand_is_read_as_events_and_with_every_card() -> None:
    async with casino_harness() as harness:
        http = Operator(harness).http
        assert (await put(http, "matches/m", match_result())).status_code == 200
        hand = MatchHand.model_validate_json((await http.get("/v1/matches/m/hands/2")).content)
        assert (hand.deck, hand.kind) == (420, "decisive")
        assert [event.event_type for event in hand.events] == [
            "hand_started",
            *["action_taken"] * 2,
            *["table_status"] * 3,
            "hand_completed",
        ]
        assert hand.events[-1].message == "hand 2: equity wins 400"
        assert {player.display_name for player in hand.record.players} == {"equity", "tight"}
        assert len(hand.record.hole_cards) == 2
        for number in (3, 51):
            missing = await http.get(f"/v1/matches/m/hands/{number}")
            assert missing.status_code == 404
            assert missing.json()["type"] == "/problems/hand-not-found"
        assert (await http.get("/v1/matches/none/hands/1")).json()["type"] == (
            "/problems/match-not-found"
        )


async def test_a_result_that_cannot_be_read_back_spoils_nothing_else(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite+aiosqlite:///{tmp_path}/casino.db")
    network = CasinoHarness(store=store)
    async with network.tables.running(), network.lobby.running():
        http = Operator(network).http
        for name in ("good", "bad"):
            assert (await put(http, f"matches/{name}", match_result())).status_code == 200
        break_it = text(
            "UPDATE publication SET content = '{}', summary = '[' WHERE publication_id = 'bad'"
        )
        await store.writer.write(lambda connection: connection.execute(break_it))
        assert await listed(http) == ["good"]
        reply = await http.get("/v1/matches/bad")
        assert (reply.status_code, reply.json()["type"]) == (503, "/problems/not-kept")
        assert store.unreadable.counts() == {"publication": 1}
        assert (await put(http, "matches/bad", match_result())).status_code == 200
        assert await listed(http) == ["bad", "good"]


DOTTED = "variant = 'NT'\n" + "a." * 9_000 + "a = 1"
HOSTILE_HISTORIES = {
    "a key of 9,000 parts": (DOTTED, "line 2: a key of more than 3 parts"),
    "an amount of a hundred million digits": (
        """variant = 'NT'
starting_stacks = [100, 100]
antes = [0, 0]
blinds_or_straddles = [1, 2]
actions = ['p1 cbr 1e99999999']""",
        "line 1: hand [1]: it is no amount",
    ),
    "lists within each other": ("variant = 'NT'\na = " + "[" * 5_000, "line 2: nested deeper"),
    "no hand": ("", "line 1: hand [1]: variant"),
    "two hands": ("[1]\nvariant = 'NT'\n[2]\nvariant = 'NT'", "line 1: hand [1]"),
    "another game": ("variant = 7", "line 1: hand [1]: variant '7'"),
}


def with_history(history: str) -> MatchResult:
    result = match_result()
    first, second = result.notable_hands
    hostile = second.model_copy(update={"history": history})
    return result.model_copy(update={"notable_hands": (first, hostile)})


@pytest.mark.parametrize("name", HOSTILE_HISTORIES)
async def test_a_history_that_cannot_be_read_is_refused_when_it_is_published(name: str) -> None:
    history, fault = HOSTILE_HISTORIES[name]
    async with casino_harness() as harness:
        http = Operator(harness).http
        reply = await put(http, "matches/m", with_history(history))
        assert reply.status_code == 422, reply.text
        (error,) = reply.json()["errors"]
        assert error["pointer"] == "#/notableHands/1/history"
        assert fault in error["detail"]
        assert await listed(http) == []


async def test_no_history_is_parsed_when_a_hand_is_read() -> None:
    store = MemoryStore(1_000)
    network = CasinoHarness(store=store)
    async with network.tables.running(), network.lobby.running():
        http = Operator(network).http
        assert (await put(http, "matches/m", match_result())).status_code == 200
        stored = await store.published.get("match", "m")
        assert stored is not None
        hostile = with_history(DOTTED).wire().decode()
        await store.published.put(replace(stored, digest="other", content=hostile), ANY_DIGEST)
        read = await http.get("/v1/matches/m/hands/2")
        assert MatchHand.model_validate_json(read.content).deck == 420
        assert (await http.get("/v1/matches/m")).status_code == 200


async def test_a_page_of_large_entries_has_fewer_of_them() -> None:
    result = match_result([f"bot {number}" for number in range(10)])
    long = "x" * 1_990
    pairs = tuple(pair.model_copy(update={"sentence": long}) for pair in result.pairs)
    async with casino_harness() as harness:
        http = Operator(harness).http
        for number in range(12):
            published = result.model_copy(update={"pairs": pairs})
            assert (await put(http, f"matches/{number}", published)).status_code == 200
        found: list[str] = []
        query = ""
        while True:
            page = await http.get(f"/v1/matches?limit=100{query}")
            assert len(page.content) <= 640 * 1024
            found += [match["matchId"] for match in page.json()["matches"]]
            if "next" not in page.json():
                break
            query = f"&after={page.json()['next']}"
        assert found == [str(number) for number in reversed(range(12))]


async def test_nothing_is_published_under_an_id_that_no_url_has() -> None:
    async with casino_harness() as harness:
        http = Operator(harness).http
        for name in ("%2E%2E", "%2e", "."):
            reply = await put(http, f"matches/{name}", match_result())
            assert reply.status_code in {404, 405, 422}
        assert await listed(http) == []
