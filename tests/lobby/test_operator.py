"""What is the operator's is opened by the token, and by nothing else."""

import pytest
from casino_agentkit import InvalidSettings, Refusal
from casino_lobby.operator import Operator
from casino_lobby.rooms import Room
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore
from support.casino_side import CasinoTown
from support.store_side import new_room

TOKEN = "CASINO_LOBBY_OPERATOR_TOKEN"


@pytest.mark.parametrize("given", ["Bearer sesame", "bearer sesame", "Bearer  sesame "])
def test_the_token_opens(given: str) -> None:
    """However the scheme is spelled."""
    Operator("sesame").admit(given)


@pytest.mark.parametrize(
    "given", [None, "", "sesame", "Bearer", "Bearer ", "Bearer sesam", "Basic sesame", "Bearer é"]
)
def test_nothing_else_does(given: str | None) -> None:
    """And the answer says how it is sent."""
    with pytest.raises(Refusal, match="Bearer") as refused:
        Operator("sesame").admit(given)
    assert refused.value.reason == "UNAUTHORIZED"


@pytest.mark.parametrize("given", [None, "Bearer ", "Bearer None"])
def test_without_a_token_nothing_opens(given: str | None) -> None:
    """The answer says which setting would."""
    with pytest.raises(Refusal, match=TOKEN) as refused:
        Operator(None).admit(given)
    assert refused.value.reason == "OPERATOR_ONLY"


def test_the_setting_is_kept_to_itself() -> None:
    """Neither its picture nor a complaint about it shows it."""
    settings = LobbySettings.load({TOKEN: "open-sesame"})
    assert "open-sesame" not in repr(settings)
    with pytest.raises(InvalidSettings) as refused:
        LobbySettings.load({TOKEN: "short"})
    assert TOKEN in str(refused.value)
    assert "short" not in str(refused.value).replace("at least", "")


async def test_a_room_of_an_older_release_gets_its_secret() -> None:
    """It is stored with the room, and shown to nobody."""
    store = MemoryStore(1_000)
    stored = new_room().to_json()
    del stored["secret"], stored["running_since"]
    room = Room.from_json({**stored, "phase": "closed"})
    await store.add(room)
    town = CasinoTown(store=store, new_secret=lambda: "a-new-secret")
    async with town.lobby.running():
        assert room.secret == "a-new-secret"
        async with town.http() as http:
            assert "a-new-secret" not in (await http.get("/v1/rooms/r1")).text
    assert Room.from_json(room.to_json()).secret == "a-new-secret"
    assert "a-new-secret" not in repr(room)
