"""Players of any game read its specification before they sit down, or refuse the seat."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from casino_agentkit import AgentClient, RemoteRefused
from casino_contracts import GameActionResponse, SignupInvitation, SignupResponse
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from structlog.testing import capture_logs
from support.in_process import InProcessTransport
from support.specifications import ACTION, RESULT, LobbySide, specification
from support.table.any_game import question

SOON = timedelta(seconds=5)
LISTED, DOCUMENT = "/api/games", "/api/games/kuhn_poker/spec"
INVITATION = SignupInvitation(
    casino_name="C",
    table_id="t",
    room_id="r",
    min_buy_in=1,
    max_buy_in=2,
    small_blind=1,
    big_blind=2,
    game_type="kuhn_poker",
)


def settings(**changes: Any) -> PlayerSettings:
    return PlayerSettings.model_validate(
        {"style": "generic", "lobby_url": "http://lobby", **changes}
    )


class Invited:
    """A player in this process, and the lobby that it reads at."""

    def __init__(self, side: LobbySide, given: PlayerSettings | None = None) -> None:
        self.time = 0.0
        service = build_app(
            given or settings(), "http://player", http=side.client(), clock=lambda: self.time
        )
        self._client = AgentClient(InProcessTransport({"http://player": service.asgi()}))

    async def sign_up(self, **changes: Any) -> SignupResponse:
        """Invite the player; raises RemoteRefused if it refuses the seat."""
        player = await self._client.resolve("http://player", timeout=SOON)
        invitation = INVITATION.model_copy(update=changes)
        return await player.call("signup", invitation, SignupResponse, timeout=SOON)

    async def refusal(self, **changes: Any) -> str:
        """Return why the player refuses the seat."""
        with pytest.raises(RemoteRefused) as refused:
            await self.sign_up(**changes)
        assert refused.value.reason == "SPECIFICATION_UNAVAILABLE"
        return refused.value.message

    async def act(self, **changes: Any) -> GameActionResponse:
        player = await self._client.resolve("http://player", timeout=SOON)
        return await player.call("act", question(**changes), GameActionResponse, timeout=SOON)


def asked(side: LobbySide) -> list[str]:
    return [path for path, _ in side.asked]


@pytest.fixture
def lobby() -> LobbySide:
    return LobbySide(kuhn_poker=specification())


async def test_the_specification_is_read_before_the_seat_is_taken(lobby: LobbySide) -> None:
    """The list, then the document; no turn waits for it."""
    player = Invited(lobby)
    assert (await player.sign_up()).plays_any_game
    assert asked(lobby) == [LISTED, DOCUMENT]
    lie: dict[str, Any] = {"public": {}, "private": {}}
    assert "does not match the specification" in str((await player.act(state=lie)).defaulted)
    assert asked(lobby) == [LISTED, DOCUMENT]


async def test_a_game_that_the_lobby_does_not_have_is_refused(lobby: LobbySide) -> None:
    """The refusal names the games that it has; the game is found as soon as it is there."""
    player = Invited(lobby)
    why = await player.refusal(game_type="leduc_poker")
    assert "leduc_poker is not offered; the games are: kuhn_poker" in why
    lobby.documents["leduc_poker"] = specification(gameType="leduc_poker")
    assert (await player.sign_up(game_type="leduc_poker")).plays_any_game


async def test_an_invitation_that_names_no_game_is_to_holdem(lobby: LobbySide) -> None:
    """As in `configureTable`."""
    player = Invited(lobby)
    assert "texas-holdem is not offered" in await player.refusal(game_type=None)
    lobby.documents["texas-holdem"] = specification(gameType="texas-holdem")
    assert (await player.sign_up(game_type=None)).plays_any_game


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("# Nothing", "front matter: the document must begin with YAML"),
        (specification(gameType="chess"), "gameType is chess, requested was kuhn_poker"),
        (specification(schemaFormat="xml"), "front matter: schemaFormat"),
        (specification(state={"type": "strin"}), "State Schema: invalid JSON Schema at $.type"),
        (specification(action=[]), "Action Schema: the JSON Schema must be an object"),
        (
            specification(result={"$schema": "http://json-schema.org/draft-07/schema#"}),
            "Result Schema: $schema 'http://json-schema.org/draft-07/schema#' must be",
        ),
        (specification().replace("## Result Schema", "## Results"), "'Result Schema'"),
        (specification(version="0.9.0"), "specification is 0.9.0, required is 1.0.0"),
    ],
)
async def test_an_unreadable_specification_is_refused_with_the_reason(
    document: str, why: str
) -> None:
    """The part that is wrong, and how."""
    assert why in await Invited(LobbySide(kuhn_poker=document)).refusal()


async def test_a_lobby_that_hangs_costs_the_time_for_reading(lobby: LobbySide) -> None:
    """The seat is refused in time, and the player can be invited again."""
    given_up = asyncio.Event()

    async def hang(_request: Request) -> Response:
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()
        raise AssertionError("unreachable")

    lobby.instead = hang
    player = Invited(lobby, settings(specification_timeout="1s"))
    assert "within 1 s" in await player.refusal()
    await given_up.wait()
    lobby.instead = None
    assert (await player.sign_up()).plays_any_game


@pytest.mark.parametrize(
    "reply",
    [
        Response(status_code=500),
        PlainTextResponse("<html>" * 300_000, media_type="application/json"),
        Response(b"[" * 900_000, media_type="application/json"),
        Response(b'{"games": 7}', media_type="application/json"),
        Response(b'{"games": [{"gameType": "kuhn_poker", "specVersion": "\\u001b[2J"}]}'),
    ],
)
async def test_a_lobby_that_answers_nonsense_is_refused(lobby: LobbySide, reply: Response) -> None:
    """The refusal is short and printable."""

    async def nonsense(_request: Request) -> Response:
        return reply

    lobby.instead = nonsense
    why = await Invited(lobby).refusal()
    assert why.startswith("This player reads a game's specification before it plays; kuhn_poker: ")
    assert len(why) < 800
    assert why.isprintable()


@pytest.mark.parametrize("name", ["draft/next/schema", "draft/2031-07/schema", "v2/2031"])
async def test_a_later_dialect_is_read_with_a_warning(name: str) -> None:
    """One for each specification, however often it is used."""
    dialect = f"https://json-schema.org/{name}"
    document = specification(
        action={**ACTION, "$schema": dialect}, result={**RESULT, "$schema": dialect}
    )
    player = Invited(LobbySide(kuhn_poker=document))
    with capture_logs() as logs:
        for number in range(3):
            await player.sign_up(table_id=f"t{number}")
            await player.act(tableId=f"t{number}")
        answer = await player.act(availableActions=[{"action_type": "SHOUT"}])
    assert "does not match the specification" in str(answer.defaulted)
    (warning,) = logs
    assert warning["event"] == "later_dialect"
    assert warning["game"] == ("kuhn_poker", "1.0.0")
    assert f"Action Schema: $schema {dialect} is read as draft 2020-12" in warning["why"]


async def test_without_a_lobby_to_ask_every_seat_is_taken(lobby: LobbySide) -> None:
    """The operator chose to play by the available actions alone."""
    player = Invited(lobby, settings(lobby_url=None))
    with capture_logs() as logs:
        assert (await player.sign_up()).plays_any_game
        await player.act()
    assert [entry["event"] for entry in logs] == ["no_lobby_url"]
    assert not lobby.asked


async def test_a_refusal_does_not_tell_the_lobby_s_credentials() -> None:
    """They may be part of its URL."""

    def refuse(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    side = LobbySide()
    side.client = lambda: httpx.AsyncClient(  # type: ignore[method-assign]
        transport=httpx.MockTransport(refuse)
    )
    why = await Invited(side, settings(lobby_url="http://ada:sesame@lobby")).refusal()
    assert "http://lobby/api/games: connection refused" in why
    assert "sesame" not in why
