"""Where an operator key is needed, and what a group of lobbies needs."""

from pathlib import Path

import pytest
from casino_agentkit import InvalidSettings
from casino_lobby.settings import LobbySettings

KEY = "the-operators-own-key"


@pytest.mark.parametrize(
    "setting",
    [
        {"CASINO_LOBBY_HOST": "127.0.0.1.evil"},
        {"CASINO_LOBBY_PUBLIC_URL": "https://casino.example"},
        {"CASINO_LOBBY_HOST": "0.0.0.0", "CASINO_LOBBY_OPERATOR_TOKEN": "short-key"},
    ],
)
def test_beyond_loopback_a_key_is_needed(setting: dict[str, str]) -> None:
    assert LobbySettings.load({"CASINO_LOBBY_HOST": "127.0.0.1"}).operator_token is None
    with pytest.raises(InvalidSettings, match="CASINO_LOBBY_OPERATOR_TOKEN") as refused:
        LobbySettings.load(setting)
    assert "short-key" not in str(refused.value)
    key = {"CASINO_LOBBY_OPERATOR_TOKEN": KEY}
    assert LobbySettings.load({**setting, **key}).operator_token is not None


def test_readers_operator_needs_a_key() -> None:
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
def test_half_a_group_is_refused(setting: dict[str, str], words: tuple[str, ...]) -> None:
    """The error names the settings, and what to do."""
    with pytest.raises(InvalidSettings) as refused:
        LobbySettings.load({f"CASINO_LOBBY_{name}": value for name, value in setting.items()})
    for word in words:
        assert word in str(refused.value)
    assert KEY not in str(refused.value)


def test_a_group_needs_an_address_a_key_and_postgresql(tmp_path: Path) -> None:
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
