"""Settings of addresses: what is none would become part of a page or its policy."""

import pytest
from casino_agentkit import InvalidSettings
from casino_lobby.settings import LobbySettings

WRONG = {
    "CASINO_LOBBY_CORS_ORIGINS": ("casino.example", "https://a.example/path", "null"),
    "CASINO_LOBBY_EMBED_ORIGINS": (
        *("*", "blog.example", "https://a; script-src *", "https://a/path", "'self'", "https://"),
    ),
    "CASINO_LOBBY_GATEWAY_URL": ("127.0.0.1:4050", "http://x; script-src *", "ws://h", "http://"),
    "CASINO_LOBBY_SAMPLE_CARDS": (
        *("Tight", "=http://x", "A=nowhere", "A=http://h,B", ",".join(["A=http://h"] * 51)),
    ),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_what_is_no_address_is_refused_at_the_start(name: str, value: str) -> None:
    with pytest.raises(InvalidSettings, match=name):
        LobbySettings.load({name: value})
