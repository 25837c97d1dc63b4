"""No foreign web page can use a casino through its operator's browser.

Every attack is carried out twice: behind the guard it fails, without the guard it succeeds.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from socket import gethostname
from typing import Any, NamedTuple

import httpx
import orjson
import pytest
from casino.attack.binding_calls import BINDINGS
from casino.attack.command_attacks import FORGERIES, REBOUND
from casino_agentkit import BrowserGuard, InvalidSettings, ServiceSettings
from casino_lobby.settings import LobbySettings
from casino_player_example.app import build_app as build_player
from casino_player_example.settings import PlayerSettings
from casino_table.app import build_app as build_table
from casino_table.settings import TableSettings
from starlette.types import ASGIApp
from support.casino.casino_side import CasinoHarness
from support.table.table_side import CONFIG


class Target(NamedTuple):
    """A service on a loopback port, with a page to read and a command to carry out.

    `page` is what can be read of it, `path` and `body` what it can be made to do, with `headers`.
    """

    app: ASGIApp
    page: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    async def answer(self, method: str, path: str, body: bytes, **headers: str) -> httpx.Response:
        """Return what is answered to a request; `_` in a header's name stands for `-`."""
        named = {name.replace("_", "-"): value.encode() for name, value in headers.items()}
        named.setdefault("host", b"127.0.0.1:4000")
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            request = http.build_request(
                method,
                path,
                content=body,
                headers=[(name.encode(), value) for name, value in named.items()],
            )
            return await http.send(request)

    async def reads(self, path: str | None = None, **headers: str) -> bool:
        """Tell whether the service returns its page."""
        return (await self.answer("GET", path or self.page, b"", **headers)).is_success

    async def command(self, **headers: str) -> bool:
        """Tell whether the service carries out its command."""
        body = orjson.dumps(self.body)
        reply = await self.answer("POST", self.path, body, **{**self.headers, **headers})
        return reply.is_success and "error" not in reply.json()


def lobby(app: ASGIApp, table_card: str) -> Target:
    """Return the lobby, which opens rooms over REST."""
    room = {"roomId": "evil", "config": CONFIG, "tableAgentCardUrl": table_card}
    return Target(app, "/v1/rooms", "/v1/rooms", room, {})


def agent(app: ASGIApp, skill: str, given: dict[str, Any]) -> Target:
    """Return an agent, which answers typed calls."""
    headers = {"content_type": "application/json", "a2a_version": "1.0"}
    card = "/.well-known/agent-card.json"
    return Target(app, card, "/a2a/jsonrpc", BINDINGS[0].body(skill, given), headers)


Wrap = Callable[[ASGIApp], ASGIApp]


def guarded(app: ASGIApp) -> ASGIApp:
    """Return an application behind the guard, as it listens on loopback."""
    return BrowserGuard(app, ["127.0.0.1"])


def as_served(settings: ServiceSettings) -> Wrap:
    """Return the guard that a service with these settings puts in front of itself."""
    url = settings.public_url or "http://127.0.0.1:4000"
    return lambda app: settings.guarded(app, url)


def unguarded(app: ASGIApp) -> ASGIApp:
    """Return an application as it is."""
    return app


@asynccontextmanager
async def lobby_behind(wrap: Wrap) -> AsyncIterator[Target]:
    """Run a lobby with a free table."""
    casino = CasinoHarness(launch_tables=False)
    casino.lobby.guarded = wrap
    async with casino.tables.running(), casino.lobby.running():
        yield lobby(casino.lobby.asgi(), casino.table_card(1))


@asynccontextmanager
async def table_behind(wrap: Wrap) -> AsyncIterator[Target]:
    table = build_table(TableSettings(), "http://table")
    table.guarded = wrap
    async with table.running():
        yield agent(table.asgi(), "tableSummary", {})


@asynccontextmanager
async def player_behind(wrap: Wrap) -> AsyncIterator[Target]:
    player = build_player(PlayerSettings(), "http://player")
    player.guarded = wrap
    money = {"minBuyIn": 40, "maxBuyIn": 400, "smallBlind": 1, "bigBlind": 2}
    invitation = {"casinoName": "evil", "tableId": "evil", "roomId": "evil", **money}
    async with player.running():
        yield agent(player.asgi(), "signup", invitation)


Behind = Callable[[Wrap], AbstractAsyncContextManager[Target]]
SERVICES = pytest.mark.parametrize("behind", [lobby_behind, table_behind, player_behind])


@SERVICES
@pytest.mark.parametrize("wrap", [guarded, unguarded])
async def test_only_the_guard_refuses_foreign_pages(behind: Behind, wrap: Wrap) -> None:
    """Forged commands, and pages at a name that the attacker has led to loopback."""
    for what, headers in FORGERIES.items():
        async with behind(wrap) as target:
            assert await target.command(**headers) == (wrap is unguarded), what
    for host in REBOUND:
        own = {"host": host, "sec_fetch_site": "same-origin"}
        async with behind(wrap) as target:
            assert await target.reads(**own) == (wrap is unguarded), host
            is_obeyed = await target.command(**own, origin=f"http://{host}")
            assert is_obeyed == (wrap is unguarded), host


PROGRAMS: tuple[dict[str, str], ...] = (
    {},  # curl, agents
    {"host": "localhost:4000"},
    {"host": "LocalHost"},
    {"host": "[::1]:4000"},
    {"host": "127.0.0.2:1"},
    {"host": "192.168.1.5:4000"},
    {"host": "[2001:db8::7]"},
    {"origin": "http://127.0.0.1:4000", "sec_fetch_site": "same-origin"},
    {"host": "localhost", "origin": "http://localhost", "sec_fetch_site": "same-origin"},
    {"host": "[::1]:80", "origin": "http://[::1]"},
    {"referer": "http://127.0.0.1:4000/#/rooms/green"},
    {"sec_fetch_site": "none"},
)


async def test_programs_and_the_own_page_may_command() -> None:
    async with table_behind(guarded) as target:
        for headers in PROGRAMS:
            assert await target.command(**headers), headers


@SERVICES
async def test_pages_of_other_origins_may_read(behind: Behind) -> None:
    """The browser decides what they see of the answer."""
    async with behind(guarded) as target:
        foreign = {"origin": "https://evil.example", "sec_fetch_site": "cross-site"}
        assert await target.reads(**foreign)


class TestMediaTypes:
    async def test_only_another_media_type_is_refused(self) -> None:
        """Also without the guard: an old browser sends no other sign of a form."""
        for wrong in ("text/plain;charset=UTF-8", "multipart/form-data; boundary=x", "nonsense"):
            async with lobby_behind(unguarded) as target:
                assert not await target.command(content_type=wrong), wrong
        for right in ("Application/JSON; charset=utf-8", "application/x-www-form-urlencoded", ""):
            async with lobby_behind(guarded) as target:
                assert await target.command(content_type=right), right


class TestNames:
    @pytest.mark.parametrize(
        ("environment", "host"),
        [
            ({"CASINO_PLAYER_PUBLIC_URL": "http://tight:4100"}, "tight:4100"),
            ({"CASINO_PLAYER_PUBLIC_URL": "http://{hostname}:4500"}, f"{gethostname()}:4500"),
            ({"CASINO_PLAYER_PUBLIC_URL": "https://Casino.Example/x"}, "casino.example"),
            ({"CASINO_PLAYER_HOST": "my-machine.local"}, "my-machine.local:4100"),
            ({"CASINO_PLAYER_HOSTS": "a.example, B.example"}, "b.example:1"),
            ({"CASINO_PLAYER_HOSTS": "a.example"}, "A.Example."),
            ({"CASINO_PLAYER_HOST": "0.0.0.0"}, "10.1.2.3:4100"),
        ],
    )
    async def test_settings_name_the_hosts(self, environment: dict[str, str], host: str) -> None:
        """The public URL, the address it listens on, and the listed ones."""
        settings = PlayerSettings.load(environment)
        async with player_behind(as_served(settings)) as target:
            assert await target.reads(host=host)
            assert not await target.reads(host=f"not-{host}")

    @pytest.mark.parametrize(
        "name", ["http://a.example", "a.example:80", "a b", "*", "a/b", "[::]"]
    )
    def test_an_invalid_host_setting_is_refused(self, name: str) -> None:
        """It would never match."""
        with pytest.raises(InvalidSettings, match="CASINO_PLAYER_HOSTS: .*such as casino.example"):
            PlayerSettings.load({"CASINO_PLAYER_HOSTS": name})

    async def test_the_refusal_says_which_setting_would_allow_it(self) -> None:
        """A long host name is cut in it."""
        settings = PlayerSettings.load({})
        async with player_behind(as_served(settings)) as target:
            reply = await target.answer("GET", target.page, b"", host="my.name" + "x" * 5_000)
        assert (reply.status_code, reply.headers["connection"]) == (421, "close")
        problem = reply.json()
        assert (problem["title"], problem["status"]) == ("Misdirected Request", 421)
        assert "CASINO_PLAYER_HOSTS" in problem["detail"]
        assert len(reply.content) < 400

    async def test_an_invalid_host_header_is_refused(self) -> None:
        async with player_behind(guarded) as target:
            for host in ("", "a b", "x@127.0.0.1", "127.0.0.1:x", "é", "[::1", "a,b"):
                reply = await target.answer("GET", target.page, b"", host=host)
                assert reply.status_code == 421, host

    async def test_names_without_end_do_not_fill_the_memory(self) -> None:
        async with player_behind(unguarded) as target:
            guard = BrowserGuard(target.app)
            within = target._replace(app=guard)
            for port in range(1, 1_001):
                assert await within.reads("/healthz", host=f"127.0.0.1:{port}")
            assert len(guard._accepted) <= 64


class TestOrigins:
    LISTED = "https://casino.example"

    async def command_from(self, origin: str, listed: str) -> httpx.Response:
        """Send a command from a page of an origin, to a lobby that lists some."""
        settings = LobbySettings.load({"CASINO_LOBBY_CORS_ORIGINS": listed})
        async with lobby_behind(as_served(settings)) as target:
            body = orjson.dumps(target.body)
            foreign = {"origin": origin, "sec_fetch_site": "cross-site"}
            return await target.answer("POST", target.path, body, **foreign)

    async def test_a_listed_origin_may_command(self) -> None:
        reply = await self.command_from(self.LISTED, f"http://a.example,{self.LISTED}")
        assert reply.status_code == 201

    async def test_another_origin_may_not_command(self) -> None:
        for origin in (
            "https://evil.example", "http://casino.example", "https://casino.example:8443",
            "https://casino.example.evil.example", "null",
        ):  # fmt: skip
            reply = await self.command_from(origin, self.LISTED)
            assert reply.status_code == 403, origin
            assert "CASINO_LOBBY_CORS_ORIGINS" in reply.json()["detail"]

    async def test_a_wildcard_allows_reading_only(self) -> None:
        assert (await self.command_from("https://evil.example", "*")).status_code == 403
        assert (await self.command_from(self.LISTED, f"*,{self.LISTED}")).status_code == 201

    async def test_the_public_url_is_an_own_origin(self) -> None:
        """Behind a proxy that sends another Host header, or none of the port."""
        settings = LobbySettings.load(
            {
                "CASINO_LOBBY_PUBLIC_URL": "https://casino.example",
                "CASINO_LOBBY_OPERATOR_TOKEN": "a-key-of-the-operator",
            }
        )
        for host in ("127.0.0.1:4000", "casino.example", "casino.example:443"):
            async with lobby_behind(as_served(settings)) as target:
                assert await target.command(host=host, origin="https://casino.example")
