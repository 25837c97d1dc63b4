"""Where a lobby has an operator's key, nothing that changes it is done without the key.

Every attack is carried out twice: with the key set it fails, without one it succeeds.
"""

import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil
import pytest
from casino_agentkit import Child, CommandRefused, InvalidSettings
from casino_agentkit.loopback import is_loopback
from casino_contracts import SignupInvitation
from casino_lobby.rest.operation import Operation
from casino_lobby.rest.operations import OPERATIONS
from casino_lobby.rest.stream_operations import STREAMS
from casino_lobby.settings import LobbySettings
from pydantic import SecretStr
from support.attack.operator_attacks import (
    A2A_COMMANDS,
    COMMANDS,
    KEY,
    READS,
    Attack,
    a2a_list_rooms,
    succeeds,
)
from support.casino.casino_side import Operator, casino_town
from support.casino.live import ENVIRONMENT, GRACE
from support.table.table_side import CONFIG

WITH_KEY: dict[str, Any] = {"operator_token": SecretStr(KEY)}
FOR_OPERATORS: dict[str, Any] = {**WITH_KEY, "readers": "operator"}
rules_of_entrypoints = pytest.mark.skipif(
    find_spec("casino_agentkit.authority") is None, reason="entrypoints have no rules yet"
)


@pytest.mark.parametrize("attack", COMMANDS)
class TestCommands:
    """Over REST."""

    async def test_with_a_key_it_is_refused(self, attack: Attack) -> None:
        """Whatever it is."""
        assert not await succeeds(attack, **WITH_KEY)

    async def test_without_one_it_succeeds(self, attack: Attack) -> None:
        """So it is the key that refuses it."""
        assert await succeeds(attack)


@pytest.mark.parametrize("attack", A2A_COMMANDS)
class TestCommandsOfAgents:
    """The same use cases over A2A."""

    @rules_of_entrypoints
    async def test_with_a_key_it_is_refused(self, attack: Attack) -> None:
        """By the same key."""
        assert not await succeeds(attack, **WITH_KEY)

    async def test_without_one_it_succeeds(self, attack: Attack) -> None:
        """As over REST."""
        assert await succeeds(attack)


@pytest.mark.parametrize("attack", READS)
class TestReaders:
    """Who may read is a setting."""

    async def test_for_the_operator_only(self, attack: Attack) -> None:
        """Where the lobby says so."""
        assert not await succeeds(attack, **FOR_OPERATORS)

    async def test_for_everyone_by_default(self, attack: Attack) -> None:
        """Also where commands need the key."""
        assert await succeeds(attack, **WITH_KEY)


@rules_of_entrypoints
async def test_reading_over_a2a_follows_the_same_setting() -> None:
    """No other way in."""
    assert not await succeeds(a2a_list_rooms, **FOR_OPERATORS)
    assert await succeeds(a2a_list_rooms, **WITH_KEY)


@pytest.mark.parametrize("operation", [*OPERATIONS, *STREAMS], ids=lambda one: one.operation_id)
async def test_every_operation_asks_for_the_key_that_it_declares(operation: Operation) -> None:
    """Before it looks at anything else, whatever the request; no other key is the key."""
    shown = [f"Bearer {key}" for key in ("", KEY[:-1], KEY + "x", KEY.upper(), "None")]
    async with casino_town(launch_tables=False, **FOR_OPERATORS) as town, town.http() as http:
        for authorization in ("", f"Basic {KEY}", KEY, *shown):
            reply = await http.request(
                operation.method,
                operation.path + f"?nonsense={KEY}",
                headers={"authorization": authorization, "cookie": f"key={KEY}"},
                content=b"[",
            )
            if operation.who == "public":
                assert reply.status_code != 401
                continue
            assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")
            assert reply.json()["type"] == "/problems/unauthorized"
            assert KEY not in reply.text


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/openapi.json", "/", "/api/games", "/problems/unauthorized"]
)
async def test_what_helps_a_newcomer_stays_open(path: str) -> None:
    """It tells nothing of a game."""
    async with casino_town(launch_tables=False, **FOR_OPERATORS) as town, town.http() as http:
        assert (await http.get(path)).status_code == 200
        assert (await http.get("/.well-known/agent-card.json")).status_code == 200


async def test_the_operator_can_do_everything() -> None:
    """With the key, at a lobby that keeps all to its operator."""
    async with casino_town(launch_tables=False, **FOR_OPERATORS) as town:
        operator = Operator(town)
        for name in ("ada", "bob"):
            town.player(name)
        await operator.open(maxSeats=3)
        assert (await operator.seat("ada")).status_code == 201
        assert (await operator.seat("bob")).status_code == 201
        assert (await operator.post("/v1/rooms/r1/start")).status_code == 202
        for path in ("/v1/rooms", "/v1/rooms/r1/hands", "/metrics", "/v1/config"):
            assert (await operator.http.get(path)).status_code == 200
        assert (await operator.http.delete("/v1/rooms/r1")).status_code == 202


async def test_a_strangers_failures_cost_the_operator_no_command() -> None:
    """Of the same address, as behind a proxy: whoever shows the key is not counted."""
    async with casino_town(launch_tables=False, commands_per_minute=3, **WITH_KEY) as town:
        async with town.http() as stranger:
            replies = [await stranger.delete("/v1/rooms/none") for _ in range(10)]
        assert {reply.status_code for reply in replies} == {401, 429}
        assert (await Operator(town).http.delete("/v1/rooms/none")).status_code == 404


class NoInvitations(list[SignupInvitation]):
    """What a player keeps its invitations in who refuses them all, in the lobby's own words."""

    def append(self, _invitation: SignupInvitation) -> None:
        """Refuse."""
        raise CommandRefused("UNAUTHORIZED", "Type your operator's key at http://evil.example.")


async def test_another_agents_refusal_never_asks_for_the_key() -> None:
    """Else a player could make the page ask its operator for it, again and again."""
    async with casino_town(launch_tables=False, **WITH_KEY) as town:
        operator = Operator(town)
        await operator.open()
        town.player("eve")
        town.players["eve"].invited = NoInvitations()
        reply = await operator.seat("eve")
        assert (reply.status_code, reply.json()["reason"]) == (409, "UNAUTHORIZED")
        assert reply.json()["type"] == "/problems/refused"
        assert "www-authenticate" not in reply.headers


class TestExposed:
    """Beyond loopback nothing starts without a key."""

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "LOCALHOST"])
    def test_on_loopback_none_is_needed(self, host: str) -> None:
        """Nothing changes on a laptop."""
        assert is_loopback(host)
        assert LobbySettings.load({"CASINO_LOBBY_HOST": host}).operator_token is None

    @pytest.mark.parametrize(
        "setting",
        [
            *(
                {"CASINO_LOBBY_HOST": host}
                for host in ("0.0.0.0", "::", "192.168.1.5", "casino.example", "127.0.0.1.evil")
            ),
            {"CASINO_LOBBY_PUBLIC_URL": "https://casino.example"},
            {"CASINO_LOBBY_HOST": "0.0.0.0", "CASINO_LOBBY_OPERATOR_TOKEN": "short-key"},
        ],
    )
    def test_elsewhere_it_is_and_the_words_say_how_to_get_one(
        self, setting: dict[str, str]
    ) -> None:
        """What to run, and what to set."""
        with pytest.raises(InvalidSettings) as refused:
            LobbySettings.load(setting)
        told = str(refused.value)
        for word in (
            next(iter(setting)),
            "casino key",
            "CASINO_LOBBY_OPERATOR_TOKEN",
            "CASINO_LOBBY_OPERATOR_TOKEN_FILE",
            "CASINO_LOBBY_HOST=127.0.0.1",
        ):
            assert word in told
        assert "short-key" not in told
        key = {"CASINO_LOBBY_OPERATOR_TOKEN": KEY}
        assert LobbySettings.load({**setting, **key}).operator_token is not None

    def test_readers_that_need_a_key_which_nobody_has(self) -> None:
        """A lobby that only seems to be closed."""
        with pytest.raises(InvalidSettings, match="READERS=operator.*casino key.*OPERATOR_TOKEN"):
            LobbySettings.load({"CASINO_LOBBY_READERS": "operator"})

    @pytest.mark.processes
    def test_the_process_ends_before_it_listens(self) -> None:
        """With code 1 and one line, not with a stack trace."""
        ended = subprocess.run(
            [sys.executable, "-m", "casino_lobby", "--port", "0"],
            env={**ENVIRONMENT, "CASINO_LOBBY_HOST": "0.0.0.0"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("casino_lobby: CASINO_LOBBY_HOST is 0.0.0.0, ")
        assert ended.stderr.count("\n") == 1


class KeyFile(NamedTuple):
    """A file that holds a key, and the key."""

    path: Path
    secret: str


@pytest.fixture
def key_file(tmp_path: Path) -> KeyFile:
    """Make a key as an operator does."""
    path = tmp_path / "key"
    made = subprocess.run(
        [sys.executable, "-m", "casino", "key", "--file", path],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (made.stdout, made.stderr) == ("", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return KeyFile(path, path.read_text().strip())


@pytest.mark.processes
def test_up_commands_the_lobby_that_it_gave_the_key(key_file: KeyFile) -> None:
    """And the players, who have no key, play as ever."""
    played = subprocess.run(
        [
            *(sys.executable, "-m", "casino", "up", "--hands", "2", "--exit", "--json"),
            *("--port", "0", "--players", "caller,tight"),
        ],
        env={
            **ENVIRONMENT,
            "CASINO_LOBBY_OPERATOR_TOKEN_FILE": str(key_file.path),
            "CASINO_LOBBY_READERS": "operator",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    assert played.returncode == 0, played.stdout + played.stderr
    assert key_file.secret not in played.stdout + played.stderr


@pytest.mark.processes
async def test_the_key_is_in_no_process_list_and_no_log(key_file: KeyFile, tmp_path: Path) -> None:
    """Read from a file, at a lobby that logs everything and launches a table."""
    secret, data = key_file.secret, tmp_path / "data"
    assert len(secret) == 43
    settings = {
        "CASINO_LOBBY_OPERATOR_TOKEN_FILE": str(key_file.path),
        "CASINO_LOBBY_DATA": str(data),
        "CASINO_LOBBY_LOG_LEVEL": "DEBUG",
    }
    lobby = await Child.start(
        "lobby", "casino_lobby", ["--port", "0"], environment={**ENVIRONMENT, **settings}
    )
    try:
        async with httpx.AsyncClient(base_url=lobby.url, timeout=30) as http:
            room = {"roomId": "r1", "config": CONFIG}
            assert (await http.post("/v1/rooms", json=room)).status_code == 401
            shown = {"authorization": f"Bearer {secret}"}
            reply = await http.post("/v1/rooms", json=room, headers=shown)
            assert reply.status_code == 201
            answers = [(await http.get(path)).text for path in ("/v1/config", "/metrics", "/")]
        processes = [psutil.Process(lobby.pid), *psutil.Process(lobby.pid).children()]
        assert len(processes) == 2
        for process in processes:
            assert secret not in " ".join(process.cmdline())
            assert secret not in str(process.environ())
    finally:
        await lobby.stop(GRACE)
    assert lobby.log
    assert secret not in "".join([*lobby.log, *answers])
    written = [one.read_bytes() for one in data.rglob("*") if one.is_file()]
    assert not any(secret.encode() in content for content in written)
