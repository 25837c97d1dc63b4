"""Addresses, methods, limits and origins, checked before any operation."""

import socket

import pytest
from casino_agentkit import InvalidSettings
from casino_lobby.settings import LobbySettings
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.served import served
from support.table.table_side import CONFIG


async def test_odd_addresses_lead_nowhere_else() -> None:
    """Paths are split before they are decoded, and none causes a status of 500."""
    async with casino_harness() as harness:
        operator = Operator(harness)
        await operator.open()
        for path, status, kind in (
            ("/v1/rooms/r1%2Fplayers", 404, "room-not-found"),
            ("/v1/rooms/r1%2f", 404, "room-not-found"),
            ("/v1/rooms/r%0a", 404, "room-not-found"),
            ("/v1/rooms/%00", 404, "room-not-found"),
            ("/v1/rooms/%72%31", 200, None),
            ("/v1/rooms/%ff", 404, "not-found"),
            ("/v1/rooms/", 404, "not-found"),
            ("/v1//rooms", 404, "not-found"),
            ("/v1/x%0ay", 404, "not-found"),
            ("/v1/rooms?limit=%ff", 422, "invalid-request"),
            ("/v1/rooms?colour=green", 422, "invalid-request"),
            ("/v1/config?x", 422, "invalid-request"),
            ("/v1/config?x=1", 422, "invalid-request"),
            ("/v1/rooms?limit=1&limit=1", 422, "invalid-request"),
            ("/v1/rooms?limit=0", 422, "invalid-request"),
            ("/v1/rooms?limit=%201", 422, "invalid-request"),
            ("/v1/rooms?limit=٣", 422, "invalid-request"),
            ("/v1/rooms?limit=" + "9" * 5000, 422, "invalid-request"),
            ("/v1/rooms?state=%00", 422, "invalid-request"),
            ("/v1/rooms?state=", 422, "invalid-request"),
            ("/v1/rooms?gameType=" + "x" * 200, 422, "invalid-request"),
            ("/v1/rooms?status=happy", 422, "invalid-request"),
            ("/v1/rooms?after=none", 404, "room-not-found"),
        ):
            reply = await operator.http.get(path)
            assert reply.status_code == status, (path, reply.text)
            if kind is not None:
                assert reply.json()["type"] == f"/problems/{kind}", path
                assert reply.headers["content-type"] == "application/problem+json"


async def test_a_player_id_may_hold_a_slash() -> None:
    """The slash is encoded as %2F."""
    async with casino_harness() as harness:
        operator = Operator(harness)
        await operator.open()
        reply = await operator.http.delete("/v1/rooms/r1/players/a%2Fb")
        assert (reply.status_code, reply.json()["reason"]) == (404, "UNKNOWN_PLAYER")
        assert "a/b" in reply.json()["detail"]
        reply = await operator.http.delete("/v1/rooms/r1/players/a/b")
        assert reply.json()["type"] == "/problems/not-found"


async def test_every_method_has_an_answer() -> None:
    """HEAD is answered as GET, OPTIONS with the methods, and others with 405."""
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
    """The requests go to a real server."""
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
            with socket.create_connection((host, int(port)), timeout=10) as client:
                client.sendall(line + b"\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                assert client.recv(16).split()[1] == status, line


class TestLimit:
    """Requests are counted per address, and reading by its cost."""

    async def test_a_refusal_for_too_many_requests_says_when_to_retry(self) -> None:
        """The delay is in seconds, and the refused command is not carried out."""
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
        """The reply has no CORS header."""
        async with casino_harness() as harness:
            http = Operator(harness).http
            asked = await http.options("/v1/rooms", headers=self.ASK)
            assert (asked.status_code, asked.headers["allow"][:3]) == (204, "GET")
            reply = await http.get("/v1/rooms", headers=self.ASK)
            assert "access-control-allow-origin" not in {**asked.headers, **reply.headers}

    async def test_those_that_are_listed(self) -> None:
        """They get the CORS headers; other origins get none."""
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

    @pytest.mark.parametrize("origins", ["casino.example", "https://a.example/path", "null"])
    def test_what_is_no_origin_is_refused_at_the_start(self, origins: str) -> None:
        """A value that could never match is an error."""
        with pytest.raises(InvalidSettings, match="CASINO_LOBBY_CORS_ORIGINS"):
            LobbySettings.load({"CASINO_LOBBY_CORS_ORIGINS": origins})
