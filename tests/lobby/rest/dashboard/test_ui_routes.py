"""The requests of the original casino's dashboard, answered in the original's shapes."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from support.casino.casino_side import CasinoHarness, Operator, casino_harness

DEFAULTS: dict[str, Any] = {
    "startingStack": 1,
    "smallBlind": 0.1,
    "bigBlind": 1,
    "minBuyIn": 0.1,
    "maxBuyIn": 1,
    "maxHands": 1,
    "maxSeats": 6,
}
CONFIG: dict[str, Any] = {
    "startingStack": 777,
    "smallBlind": 5,
    "bigBlind": 10,
    "minBuyIn": 1,
    "maxBuyIn": 1_000,
    "maxHands": 3,
    "maxSeats": 3,
}
ROOM = {"roomId", "config", "summary", "tableAgentCardUrl", "tableBaseUrl", "events"}


@pytest.fixture
async def harness() -> AsyncIterator[CasinoHarness]:
    async with casino_harness() as harness:
        yield harness


@pytest.fixture
def operator(harness: CasinoHarness) -> Operator:
    return Operator(harness)


def with_table(harness: CasinoHarness, **body: Any) -> dict[str, Any]:
    return {"roomId": "r1", "tableAgentCardUrl": harness.table_card(), **body}


@pytest.mark.parametrize("path", ["/ui/rooms", "/ui/state"])
async def test_the_state_of_a_lobby_without_rooms(operator: Operator, path: str) -> None:
    reply = await operator.http.get(path)
    assert reply.status_code == 200
    assert reply.json() == {"rooms": [], "defaultConfig": DEFAULTS}


class TestCreate:
    """A config may be nested or flat; nothing is dropped silently."""

    @pytest.mark.parametrize(
        "body",
        [{"config": CONFIG}, CONFIG, {"config": {"maxHands": 3}, **CONFIG | {"maxHands": None}}],
        ids=["nested", "flat", "both"],
    )
    async def test_nested_and_flat(
        self, harness: CasinoHarness, operator: Operator, body: dict[str, Any]
    ) -> None:
        body = {name: value for name, value in body.items() if value is not None}
        reply = await operator.post("/ui/rooms", with_table(harness, **body))
        assert reply.status_code == 200, reply.text
        content = reply.json()
        assert content.keys() == {"ok", "room"}
        assert content["ok"] is True
        assert content["room"].keys() == ROOM
        assert content["room"]["config"] == CONFIG
        assert content["room"]["summary"] == {
            "tableId": "r1",
            "status": "waiting",
            "handCount": 0,
            "players": [],
        } | {name: text for name, text in content["room"]["summary"].items() if name == "message"}

    async def test_without_a_config(self, harness: CasinoHarness, operator: Operator) -> None:
        """The original's defaults are playable: the unit is a tenth of a chip."""
        body = {"roomId": "r1", "roomAgentCardUrl": harness.table_card(), "gameType": "poker"}
        reply = await operator.post("/ui/rooms", {**body, "maxSeats": 2})
        assert reply.json()["room"]["config"] == {**DEFAULTS, "maxSeats": 2}
        assert reply.json()["room"]["tableAgentCardUrl"] == harness.table_card()
        for name in ("ann", "bob"):
            body = {"agentCardUrl": harness.player(name)}
            seated = await operator.post("/ui/rooms/r1/register", body)
            assert seated.json()["player"]["stack"] == 1
        room = await operator.idle_room()
        assert room.summary is not None
        assert sum(seat.stack for seat in room.summary.players) == 2

    async def test_a_faulty_body(self, harness: CasinoHarness, operator: Operator) -> None:
        """The error is one text that names the field."""
        bodies: tuple[tuple[dict[str, Any], str], ...] = (
            ({"maxHand": 5}, "maxHand: is unknown"),
            ({"config": {"maxHand": 5}}, "config.maxHand: is unknown"),
            ({"config": {"maxHands": 5}, "maxHands": 6}, "maxHands: is given as config.maxHands"),
            ({"config": 7, "maxHands": 6}, "maxHands: is given as config.maxHands too"),
            ({"config": 7}, "config"),
            ({"maxSeats": 11}, "config.maxSeats"),
            ({"startingStack": 777}, "startingStack: must lie between minBuyIn and maxBuyIn"),
            ({"tablePort": 4501, "launchOptions": {"port": 4502}}, "tablePort: is given as"),
            ({"tablePort": "4501x"}, "launchOptions.port"),
            ({"gameType": "slots"}, "slots"),
        )
        for body, error in bodies:
            reply = await operator.post("/ui/rooms", with_table(harness, **body))
            assert (reply.status_code, reply.json()["ok"]) == (400, False)
            assert reply.headers["content-type"] == "application/json"
            assert reply.json().keys() == {"ok", "error"}
            assert error in reply.json()["error"]
        assert (await operator.http.get("/ui/rooms")).json()["rooms"] == []


class TestSession:
    async def test_a_room_key_for_key(self, harness: CasinoHarness, operator: Operator) -> None:
        await operator.post("/ui/rooms", with_table(harness, **CONFIG))
        for number, name in enumerate(("ann", "bob")):
            body = {"agentCardUrl": harness.player(name), "signupSkill": "signup"}
            seated = await operator.post("/ui/rooms/r1/register", body)
            assert (seated.status_code, seated.json()) == (
                200,
                {
                    "ok": True,
                    "player": {
                        "roomId": "r1",
                        "playerId": f"player-{number + 1}",
                        "seatNumber": number,
                        "displayName": name,
                        "stack": 777,
                    },
                },
            )
        started = await operator.post("/ui/rooms/r1/start", {"maxHands": 2, "smallBlind": 5})
        assert started.status_code == 200
        assert started.json().keys() == {"ok", "summary"}
        summary = started.json()["summary"]
        assert summary.keys() <= {"tableId", "status", "handCount", "players", "message"}
        assert summary["status"] == "running"
        await operator.idle_room()
        room = (await operator.http.get("/ui/rooms/r1")).json()["room"]
        assert room["summary"]["handCount"] == 2
        assert [seat.keys() for seat in room["summary"]["players"]] == [
            {"playerId", "seatNumber", "displayName", "stack"}
        ] * 2
        keys = {"tableId", "eventType", "message", "timestamp"}
        assert room["events"]
        assert all(keys <= event.keys() <= keys | {"payload"} for event in room["events"])
        (listed,) = (await operator.http.get("/ui/rooms")).json()["rooms"]
        assert listed.pop("message")
        assert listed == {
            "roomId": "r1",
            "tableId": "r1",
            "gameType": "poker",
            "tableAgentCardUrl": harness.table_card(),
            "tableBaseUrl": room["tableBaseUrl"],
            "status": "idle",
            "handCount": 2,
            "playerCount": 2,
        }

    async def test_what_is_refused(self, harness: CasinoHarness, operator: Operator) -> None:
        """A read of a room that is none is 404, every refused command 400."""
        unknown = await operator.http.get("/ui/rooms/none")
        assert (unknown.status_code, unknown.json()["ok"]) == (404, False)
        await operator.post("/ui/rooms", with_table(harness, **CONFIG))
        card = harness.player("ann")
        refused = [
            ("/ui/rooms", with_table(harness, **CONFIG), "choose another roomId"),
            ("/ui/rooms/none/register", {"agentCardUrl": card}, "none"),
            ("/ui/rooms/none/start", {}, "none"),
            ("/ui/rooms/r1/register", {"agentCardUrl": "http://nobody/card"}, "http://nobody"),
            ("/ui/rooms/r1/register", {"agentCard": card}, "agentCard: is unknown"),
            ("/ui/rooms/r1/start", {}, "player"),
            ("/ui/rooms/r1/start", {"maxHand": 1}, "maxHand: is unknown"),
        ]
        assert (await operator.http.post("/ui/rooms", content=b"{")).json().keys() == {
            "ok",
            "error",
        }
        for path, body, error in refused:
            reply = await operator.post(path, body)
            assert reply.status_code == 400, (path, reply.text)
            assert reply.json().keys() == {"ok", "error"}
            assert error in reply.json()["error"]

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            ("GET", "/ui/none", 404),
            ("GET", "/ui/rooms/r1/start", 405),
            ("DELETE", "/ui/rooms", 405),
            ("GET", "/ui/rooms?after=r1", 404),
        ],
    )
    async def test_other_addresses(
        self, operator: Operator, method: str, path: str, status: int
    ) -> None:
        reply = await operator.http.request(method, path)
        assert (reply.status_code, reply.json().keys()) == (status, {"ok", "error"})
        assert (await operator.http.get("/")).headers["content-type"].startswith("text/html")


async def test_the_operators_key_the_limit_and_origins_are_those_of_the_rest_api() -> None:
    """Commands need the key; with `readers` reading does, too."""
    origin = {"origin": "http://localhost:5173"}
    settings: dict[str, Any] = {"operator_token": "sesame-open", "readers": "operator"}
    async with casino_harness(3, cors_origins=origin["origin"], **settings) as harness:
        http = Operator(harness).http
        created = await http.post("/ui/rooms", json=with_table(harness, **CONFIG), headers=origin)
        assert created.status_code == 200
        assert created.headers["access-control-allow-origin"] == origin["origin"]
        foreign = await http.post("/ui/rooms", json={}, headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403
        for method, path in (
            *(("POST", f"/ui/rooms{path}") for path in ("", "/r1/register", "/r1/start")),
            *(("GET", path) for path in ("/ui/rooms", "/ui/state", "/ui/rooms/r1")),
        ):
            reply = await harness.http().request(method, path)
            assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")
            assert reply.json().keys() == {"ok", "error"}
    async with casino_harness(commands_per_minute=5) as harness:
        for _ in range(9):
            refused = await harness.http().post("/ui/rooms/none/start", json={})
        assert refused.status_code == 429
        assert refused.headers["retry-after"]
