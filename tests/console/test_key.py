"""The operator's key: made, found, sent to a lobby, and never printed or sent elsewhere."""

import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino.lobby_api import LobbyApi
from casino.operator_key import OperatorKey
from casino.up.dealer import DealerSettings, build_app
from casino.up.service_processes import GATEWAY_MODULE, LOBBY_MODULE, PLAYER_MODULE, environment_of
from casino_agentkit import InvalidSettings, service_key
from casino_contracts import RoomList
from casino_lobby_client.errors import CallFailed
from pydantic import SecretStr
from support.casino.casino_side import LOBBY, CasinoHarness, casino_harness
from support.console_side import at_lobby, casino

KEY = "the-operators-own-key"


@pytest.fixture
async def harness() -> AsyncIterator[CasinoHarness]:
    """Run a lobby that has a key, and shows itself to its operator only."""
    secured: dict[str, Any] = {"operator_token": SecretStr(KEY), "readers": "operator"}
    async with casino_harness(launch_tables=False, **secured) as running:
        running.player("ada")
        yield running


COMMANDS = [
    "rooms",
    "room create green --table http://tables/tables/1/.well-known/agent-card.json",
    "room register green http://ada/.well-known/agent-card.json",
    "room show green",
    "room leave green player-1",
    "room hands green",
    "room faults green player-1",
    "room close green",
]


@pytest.mark.parametrize("line", ["rooms", "room close green", "watch green"])
async def test_without_it_a_command_says_what_to_set(harness: CasinoHarness, line: str) -> None:
    ended = await at_lobby(harness, *line.split())
    assert (ended.exit_code, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert "the lobby needs its operator's key: set CASINO_OPERATOR_TOKEN to it" in ended.stderr
    assert "CASINO_OPERATOR_TOKEN_FILE" in ended.stderr
    wrong = await at_lobby(harness, *line.split(), CASINO_OPERATOR_TOKEN="somebody-elses-key")
    assert wrong.exit_code == 1
    assert "does not accept the operator's key of CASINO_OPERATOR_TOKEN" in wrong.stderr
    assert "somebody-elses-key" not in wrong.stderr + wrong.stdout


async def test_with_it_a_room_is_driven(harness: CasinoHarness, tmp_path: Path) -> None:
    """The key comes from the environment, or from a file that it names."""
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(0o600)
    for line in COMMANDS:
        ended = await at_lobby(harness, *line.split(), CASINO_OPERATOR_TOKEN_FILE=str(path))
        assert ended.exit_code == 0, (line, ended.stderr)
        assert KEY not in ended.stdout + ended.stderr
    ended = await at_lobby(harness, "rooms", "--json", CASINO_OPERATOR_TOKEN=KEY)
    assert [one.room_id for one in RoomList.model_validate_json(ended.stdout).rooms] == ["green"]


async def test_a_key_that_cannot_be_read_is_a_wrong_setting(harness: CasinoHarness) -> None:
    ended = await at_lobby(harness, "rooms", CASINO_OPERATOR_TOKEN_FILE="/nowhere")
    assert ended.exit_code == 2
    assert "CASINO_OPERATOR_TOKEN_FILE" in ended.stderr
    both = {"CASINO_OPERATOR_TOKEN": KEY, "CASINO_OPERATOR_TOKEN_FILE": "/nowhere"}
    ended = await at_lobby(harness, "rooms", **both)
    assert ended.exit_code == 2
    assert KEY not in ended.stderr


async def test_an_attack_reads_the_key_of_the_lobby(tmp_path: Path) -> None:
    """From the lobby's settings, with the lobby's checks; sent where a lobby is not public."""
    asked: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("authorization"))
        return httpx.Response(404 if asked[-1] else 401)

    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    path.chmod(0o600)
    to, settings = httpx.MockTransport(answer), {"CASINO_LOBBY_OPERATOR_TOKEN_FILE": str(path)}
    ended = await casino("attack", "http://localhost:1", to=to, url=None, environment=settings)
    assert (ended.exit_code, "is not a lobby" in ended.stderr) == (1, True)
    assert asked == [None, f"Bearer {KEY}"]


async def test_it_follows_no_redirect() -> None:
    """A redirect could send the key to another server."""
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(307, headers={"location": "http://evil.example/"})

    api = LobbyApi(LOBBY, httpx.MockTransport(answer), OperatorKey("X", KEY))
    with pytest.raises(CallFailed):
        await api.rooms()
    await api.close()
    assert [request.url.host for request in asked] == ["lobby"]


class TestMaking:
    """`casino key`."""

    async def test_it_is_printed(self) -> None:
        """It is alone on its line, and each call makes another one."""
        first, second = [(await casino("key")).stdout for _ in range(2)]
        assert (len(first), first.count("\n"), first == second) == (44, 1, False)

    async def test_it_is_written_for_its_owner_alone(self, tmp_path: Path) -> None:
        """The mode does not depend on the umask, and nothing is printed."""
        path = tmp_path / "operator.key"
        ended = await casino("key", "--file", str(path))
        assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "", "")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert len(path.read_text().strip()) == 43

    async def test_a_file_that_is_there_is_kept(self, tmp_path: Path) -> None:
        """An existing file, or a link to one, is not overwritten."""
        path, link = tmp_path / "operator.key", tmp_path / "link"
        path.write_text(KEY)
        link.symlink_to(path)
        for name in (path, link, tmp_path / "none" / "key"):
            ended = await casino("key", "--file", str(name))
            assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
            assert str(name) in ended.stderr
        assert path.read_text() == KEY


class TestDealer:
    """`casino deal` has it as a setting."""

    PLAYERS = {"CASINO_DEALER_PLAYERS": "http://a,http://b"}  # noqa: RUF012

    def test_it_is_a_setting_like_others(self, tmp_path: Path) -> None:
        path = tmp_path / "key"
        path.write_text(KEY)
        path.chmod(0o600)
        for given in (
            {"CASINO_DEALER_OPERATOR_TOKEN": KEY},
            {"CASINO_DEALER_OPERATOR_TOKEN_FILE": str(path)},
        ):
            settings = DealerSettings.load({**self.PLAYERS, **given})
            own = service_key(KEY, "dealer")
            assert settings.key.headers() == {"authorization": f"Bearer {own}"}
            assert KEY not in repr(settings) + repr(settings.key)
        assert DealerSettings.load(self.PLAYERS).key.headers() == {}
        with pytest.raises(InvalidSettings, match="CASINO_DEALER_OPERATOR_TOKEN: must have"):
            DealerSettings.load({**self.PLAYERS, "CASINO_DEALER_OPERATOR_TOKEN": "short"})

    async def test_a_dealer_shows_it(self, harness: CasinoHarness) -> None:
        cards = (harness.player("bob"), harness.player("eve"))
        given: dict[str, Any] = {"lobby_url": LOBBY, "players": cards}
        lobby = httpx.ASGITransport(harness.transport.apps[LOBBY])
        for token in (SecretStr(KEY), None):
            settings = DealerSettings(**given, operator_token=token)
            api = LobbyApi(settings.lobby_url, lobby, settings.key)
            assert build_app(settings, api).checks() == {"the room plays": False}
            if token:
                assert (await api.rooms()).rooms == ()
                continue
            with pytest.raises(CallFailed, match="set CASINO_DEALER_OPERATOR_TOKEN"):
                await api.rooms()


def test_a_process_of_up_gets_no_key_that_is_meant_for_another() -> None:
    """A player gets no key, and the lobby its own two."""
    ours = {
        "PATH": "/bin",
        "CASINO_LOBBY_OPERATOR_TOKEN": KEY,
        "CASINO_OPERATOR_TOKEN": KEY,
        "CASINO_DEALER_OPERATOR_TOKEN": KEY,
        "CASINO_TABLE_FLEET_KEY": KEY,
        "CASINO_PLAYER_THINK": "1s",
        "CASINO_GATEWAY_OPERATOR_TOKEN": KEY,
    }
    assert environment_of(PLAYER_MODULE, ours) == {"PATH": "/bin", "CASINO_PLAYER_THINK": "1s"}
    lobby = environment_of(LOBBY_MODULE, ours)
    assert lobby["CASINO_LOBBY_OPERATOR_TOKEN"] == lobby["CASINO_TABLE_FLEET_KEY"] == KEY
    others = ("CASINO_OPERATOR", "CASINO_DEALER", "CASINO_GATEWAY")
    assert not any(name.startswith(others) for name in lobby)
    gateway = environment_of(GATEWAY_MODULE, ours)
    assert gateway == {"PATH": "/bin", "CASINO_GATEWAY_OPERATOR_TOKEN": KEY}
