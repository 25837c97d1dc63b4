"""Addresses, methods, limits and origins, checked before any operation."""

import socket

from casino_lobby.settings import LobbySettings
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.processes import PATIENCE_S
from support.served import served
from support.table.table_side import CONFIG

NOT_FOUND = {
    "room-not-found": (
        *("none", "r1%2Fplayers", "r1%2f", "r%0a", "%00", "none/events", "none/stream"),
        *("none/hands", "none/hands/1", "none/hands.phhs"),
        "?after=none",
    ),
    "hand-not-found": (
        *("r1/hands/99", "r1/hands/1?epoch=2", "r1/hands/9007199254740991"),
        "r1/hands/99/record",
    ),
    "not-found": ("%ff", "", "r1/players/a/b"),
}
INVALID = (
    *("?limit=%ff", "?colour=green", "?limit=1&limit=1", "?limit=0", "?limit=%201", "?limit=٣"),
    *("?limit=" + "9" * 5000, "?state=%00", "?state=", "?gameType=" + "x" * 200, "?status=happy"),
    *("?archived=true&status=idle", "?archived=true&gameType=g", "?archived=true&state=closed"),
    *("r1?events=201", "r1?events=-1", "r1?events=x"),
    *("r1/events?after=x", "r1/events?limit=-1", "r1/events?limit=5001"),
    *("r1/hands/0", "r1/hands/-1", "r1/hands/one", "r1/hands/" + "9" * 20),
    *("r1/hands?after=1", "r1/hands?after=1.x", "r1/hands?after=1.2.3", "r1/hands?order=best"),
    *("r1/hands?limit=1001", "r1/hands?sort=best", "r1/hands?kind=boring", "r1/hands?since=4"),
    *("r1/hands?player=", "r1/hands?sort=newest&after=1.2.3", "r1/hands?sort=pot&after=1.2"),
    *("r1/hands.phhs?limit=201", "r1/hands.phhs?after=x", "r1/hands/1/record?include=answers"),
    *("r1/players/p/hands?limit=51", "r1/players/p/hands?order=best", "r1/players/p/hands?after=x"),
    *("r1/players/p/hands/x", "r1/stream?feed=all", "r1/stream?after=-1", "r1/stream?after="),
    *("r1/stream?after=x", "r1/stream?after=" + "9" * 20),
)
"""Paths and queries below /v1/rooms."""


def below(path: str) -> str:
    return f"/v1/rooms{path}" if path.startswith("?") else f"/v1/rooms/{path}"


async def test_what_is_not_there_and_what_is_no_parameter_are_problems() -> None:
    """Paths are split before they are decoded, and none causes a status of 500."""
    async with casino_harness(operator_token="open-sesame") as harness:
        operator = Operator(harness)
        await operator.open()
        rows = [(below(path), 404, kind) for kind, some in NOT_FOUND.items() for path in some]
        rows += [(below(path), 422, "invalid-request") for path in INVALID]
        rows += [(f"/v1/config?{query}", 422, "invalid-request") for query in ("x", "x=1")]
        rows += [(path, 404, "not-found") for path in ("/v1/x%0ay", "/v1/", "/v1/no")]
        rows += [
            ("/v1/stream?after=x", 422, "invalid-request"),
            ("/rooms/r1/card.png?size=9", 422, "invalid-request"),
            ("/rooms/none/card.png", 404, "room-not-found"),
            ("/rooms/r1/hands/99/card.png", 404, "hand-not-found"),
        ]
        for path, status, kind in rows:
            reply = await operator.http.get(path)
            assert (reply.status_code, reply.json()["type"]) == (status, f"/problems/{kind}"), path
            assert reply.headers["content-type"] == "application/problem+json"
        assert (await operator.http.get("/v1/rooms/%72%31")).status_code == 200


async def test_a_last_event_id_that_is_no_cursor_is_refused() -> None:
    """It is not treated as absent, also if the query has a cursor."""
    async with casino_harness() as harness:
        for cursor in ("abc", "-1", "1.0", str(2**53), "9" * 400):
            for path in ("/v1/stream", "/v1/stream?after=0"):
                reply = await Operator(harness).http.get(path, headers={"Last-Event-ID": cursor})
                assert reply.status_code == 422
                assert reply.json()["errors"][0]["pointer"] == "#/Last-Event-ID"


async def test_a_player_id_may_hold_a_slash() -> None:
    async with casino_harness() as harness:
        operator = Operator(harness)
        await operator.open()
        reply = await operator.http.delete("/v1/rooms/r1/players/a%2Fb")
        assert (reply.status_code, reply.json()["reason"]) == (404, "UNKNOWN_PLAYER")
        assert "a/b" in reply.json()["detail"]
        for player_id in ("%20", "a%00b", "%0a", "x" * 200):
            reply = await operator.http.delete(f"/v1/rooms/r1/players/{player_id}")
            assert reply.status_code == 422
            assert reply.json()["errors"][0]["pointer"] == "#/playerId"


async def test_every_method_has_an_answer() -> None:
    async with casino_harness() as harness:
        http = Operator(harness).http
        assert (await http.head("/v1/rooms")).status_code == 200
        options = await http.options("/v1/rooms")
        assert (options.status_code, options.headers["allow"]) == (204, "GET, POST, HEAD, OPTIONS")
        for method in ("TRACE", "PROPFIND", "put"):
            reply = await http.request(method, "/v1/rooms/r1/start")
            assert reply.status_code == 405
            assert reply.headers["allow"] == "POST, OPTIONS"
            assert reply.json()["type"] == "/problems/method-not-allowed"
        assert (await http.options("/v1/nothing")).status_code == 404


def test_bytes_that_no_client_sends_are_answered_too() -> None:
    harness = CasinoHarness()
    with served(harness) as url:
        host, port = url.removeprefix("http://").split(":")
        for line, status in (
            (b"GET /v1/rooms/%zz HTTP/1.1", b"404"),
            (b"GET /v1/rooms/\xff HTTP/1.1", b"400"),
            (b"GET http://x/v1/rooms HTTP/1.1", b"200"),
            (b"PROPFIND /v1/rooms HTTP/1.1", b"405"),
            (b"OPTIONS * HTTP/1.1", b"404"),
        ):
            with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as client:
                client.sendall(line + b"\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                assert client.recv(16).split()[1] == status, line


class TestLimit:
    """Requests are counted per address, and reading by its cost."""

    async def test_a_refusal_for_too_many_requests_says_when_to_retry(self) -> None:
        harness = CasinoHarness(commands_per_minute=3)
        async with harness.tables.running(), harness.lobby.running():
            operator = Operator(harness)
            await operator.open()
            assert (await operator.post("/v1/rooms", {})).status_code == 422
            assert (await operator.http.delete("/v1/rooms/none")).status_code == 404
            reply = await operator.post("/v1/rooms", {"roomId": "r2", "config": CONFIG})
            assert (reply.status_code, reply.headers["retry-after"]) == (429, "20")
            assert reply.json()["type"] == "/problems/too-many-requests"
            assert (await operator.http.get("/v1/rooms/r2")).status_code == 429
            harness.time += 3
            for _ in range(5):
                assert (await operator.http.get("/v1/rooms/r2")).status_code == 404
            harness.time += 20
            assert (await operator.http.delete("/v1/rooms/r1")).status_code == 202


class TestOrigins:
    """Other origins can read only where a setting allows it."""

    ASK = {  # noqa: RUF012  the browser's question before a command
        "Origin": "https://casino.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,idempotency-key,last-event-id",
    }

    async def test_none_by_default(self) -> None:
        async with casino_harness() as harness:
            http = Operator(harness).http
            asked = await http.options("/v1/rooms", headers=self.ASK)
            assert (asked.status_code, asked.headers["allow"][:3]) == (204, "GET")
            reply = await http.get("/v1/rooms", headers=self.ASK)
            assert "access-control-allow-origin" not in {**asked.headers, **reply.headers}

    async def test_those_that_are_listed(self) -> None:
        settings = LobbySettings.load(
            {"CASINO_LOBBY_CORS_ORIGINS": "https://casino.example/, http://localhost:8080"}
        )
        assert settings.cors_origins == ("https://casino.example", "http://localhost:8080")
        harness = CasinoHarness(cors_origins=settings.cors_origins)
        async with harness.tables.running(), harness.lobby.running():
            http = Operator(harness).http
            asked = await http.options("/v1/rooms", headers=self.ASK)
            assert asked.status_code == 200
            assert asked.headers["access-control-allow-origin"] == "https://casino.example"
            assert "DELETE" in asked.headers["access-control-allow-methods"]
            for path in ("/v1/rooms", "/v1/rooms/none", "/v1/rooms/none/stream"):
                reply = await http.get(path, headers={"Origin": "https://casino.example"})
                assert reply.headers["access-control-allow-origin"] == "https://casino.example"
                assert reply.headers["access-control-expose-headers"] == "Location, Retry-After"
            other = await http.get("/v1/rooms", headers={"Origin": "https://evil.example"})
            assert "access-control-allow-origin" not in other.headers
