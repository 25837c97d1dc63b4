"""Where an operator key is needed, how it is read, and where it never appears."""

import stat
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
import pytest
from casino_agentkit import Child, InvalidSettings
from casino_agentkit.loopback import is_loopback
from casino_lobby.settings import LobbySettings
from support.attack.operator_attacks import (
    KEY,
)
from support.casino.live import ENVIRONMENT, GRACE
from support.table.table_side import CONFIG


class TestExposed:
    """Beyond loopback a lobby does not start without a key."""

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "LOCALHOST"])
    def test_on_loopback_no_key_is_needed(self, host: str) -> None:
        """Under each name of loopback."""
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
    def test_beyond_loopback_a_key_is_needed(self, setting: dict[str, str]) -> None:
        """The error says what to run and what to set."""
        with pytest.raises(InvalidSettings) as refused:
            LobbySettings.load(setting)
        message = str(refused.value)
        for word in (
            next(iter(setting)),
            "casino key",
            "CASINO_LOBBY_OPERATOR_TOKEN",
            "CASINO_LOBBY_OPERATOR_TOKEN_FILE",
            "CASINO_LOBBY_HOST=127.0.0.1",
        ):
            assert word in message
        assert "short-key" not in message
        key = {"CASINO_LOBBY_OPERATOR_TOKEN": KEY}
        assert LobbySettings.load({**setting, **key}).operator_token is not None

    def test_readers_operator_needs_a_key(self) -> None:
        """The lobby would otherwise only seem to be closed."""
        with pytest.raises(InvalidSettings, match="READERS=operator.*casino key.*OPERATOR_TOKEN"):
            LobbySettings.load({"CASINO_LOBBY_READERS": "operator"})

    @pytest.mark.parametrize(
        ("setting", "words"),
        [
            ({"PEER_URL": "http://lobby-1:4000"}, ("PEER_URL", "casino key", "PEER_KEY")),
            ({"PEER_KEY": KEY}, ("PEER_KEY", "PEER_URL", "stand by")),
            (
                {"PEER_URL": "http://lobby-1:4000", "PEER_KEY": KEY},
                ("PEER_URL", "PostgreSQL", "DATABASE"),
            ),
            (
                {"PEER_URL": "http://lobby-1", "PEER_KEY": KEY, "DATABASE": "memory"},
                ("PEER_URL", "PostgreSQL", "DATABASE"),
            ),
            ({"PEER_URL": "lobby-1:4000", "PEER_KEY": KEY}, ("PEER_URL", "http")),
            ({"PEER_URL": "http://lobby-1", "PEER_KEY": "short"}, ("PEER_KEY", "16")),
        ],
    )
    def test_half_a_group_is_refused(self, setting: dict[str, str], words: tuple[str, ...]) -> None:
        """The error names the settings, and what to do."""
        with pytest.raises(InvalidSettings) as refused:
            LobbySettings.load({f"CASINO_LOBBY_{name}": value for name, value in setting.items()})
        for word in words:
            assert word in str(refused.value)
        assert KEY not in str(refused.value)

    def test_a_group_needs_an_address_a_key_and_postgresql(self, tmp_path: Path) -> None:
        """The key may be in a file; the host of the address is a name of this lobby."""
        file = tmp_path / "peer"
        file.write_text(KEY)
        settings = LobbySettings.load(
            {
                "CASINO_LOBBY_PEER_URL": "http://lobby-1:4000/",
                "CASINO_LOBBY_PEER_KEY_FILE": str(file),
                "CASINO_LOBBY_DATABASE": "postgresql+asyncpg://casino@db/casino",
            }
        )
        assert settings.peer_key is not None
        assert settings.peer_key.get_secret_value() == KEY
        assert settings.peer_url == "http://lobby-1:4000"
        assert list(settings.own_names) == ["127.0.0.1", "lobby-1"]
        assert list(LobbySettings().own_names) == ["127.0.0.1"]

    @pytest.mark.full
    def test_the_process_ends_before_it_listens(self) -> None:
        """With code 1 and one line without a traceback."""
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
    path: Path
    secret: str


@pytest.fixture
def key_file(tmp_path: Path) -> KeyFile:
    """Make a key with `casino key`."""
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


@pytest.mark.full
def test_up_commands_the_lobby_that_it_gave_the_key(key_file: KeyFile) -> None:
    """Its players have no key."""
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


@pytest.mark.full
async def test_the_key_is_in_no_process_list_and_no_log(key_file: KeyFile, tmp_path: Path) -> None:
    """Read from a file, with DEBUG logs and a launched table."""
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
