"""The process of sample players: one at the root, or many below /players."""

from datetime import timedelta

from casino_agentkit import AgentClient
from casino_contracts import SignupInvitation, SignupResponse
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from support.in_process import InProcessTransport

INVITATION = SignupInvitation(
    casino_name="C",
    table_id="t",
    room_id="r",
    min_buy_in=1,
    max_buy_in=2,
    small_blind=1,
    big_blind=2,
)
SOON = timedelta(seconds=5)


async def names(settings: PlayerSettings, *paths: str) -> list[str]:
    """Return the names with which the players at these paths sign up."""
    transport = InProcessTransport({"http://players": build_app(settings, "http://players").asgi()})
    client = AgentClient(transport)
    found = []
    for path in paths:
        player = await client.resolve(f"http://players{path}", timeout=SOON)
        signup = await player.call("signup", INVITATION, SignupResponse, timeout=SOON)
        found.append(signup.display_name)
    return found


async def test_a_single_player_is_served_at_the_root() -> None:
    """Its name is its style's by default."""
    assert await names(PlayerSettings(style="maniac"), "") == ["Maniac"]
    assert await names(PlayerSettings(name="Ada"), "") == ["Ada"]


async def test_many_players_share_a_process() -> None:
    """Each has its own card and name."""
    settings = PlayerSettings(count=3)
    found = await names(settings, "/players/1", "/players/2", "/players/3")
    assert found == ["Caller 1", "Caller 2", "Caller 3"]
