"""A signed player's name is shown for that player only, in a whole casino."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from casino_agentkit import CardSigner, Service
from casino_agentkit.card_key import CardKey
from casino_lobby.store import SqlStore
from starlette.types import ASGIApp
from support.casino.casino_side import CasinoHarness, Operator
from support.table.table_side import CONFIG, Player

ADA, MALLORY = CardKey.new(), CardKey.new()


class SignedCasino(CasinoHarness):
    def guest(self, origin: str, name: str, key: CardKey | None = None) -> ASGIApp:
        """Add a player at an origin that asks for a name; returns its application."""
        signer = CardSigner(key) if key else None
        url = f"http://{origin}"
        service = Service({"": Player(name).agent()}, public_url=url, signer=signer)
        app = self.transport.apps[url] = service.asgi()
        return app


@asynccontextmanager
async def playing_casino(
    store: SqlStore | None = None,
) -> AsyncIterator[tuple[SignedCasino, Operator]]:
    """Run a casino with two rooms."""
    opened = SignedCasino(3, store=store)
    async with opened.tables.running(), opened.lobby.running():
        yield opened, Operator(opened)


async def shown(operator: Operator, origin: str, room_id: str = "r1", **more: str) -> str:
    """Seat a player; returns the name that everybody sees."""
    reply = await operator.seat(origin, room_id, **more)
    assert reply.status_code == 201, reply.text
    seats = (await operator.room(room_id)).summary
    assert seats is not None
    (seat,) = [one for one in seats.players if one.player_id == reply.json()["playerId"]]
    assert seat.display_name == reply.json()["displayName"]
    return seat.display_name


async def test_an_impostor_is_not_shown_as_ada_after_a_restart(tmp_path: Path) -> None:
    """The lobby stores the owner of the name."""
    url = f"sqlite+aiosqlite:///{tmp_path}/casino.db"
    async with playing_casino(SqlStore(url)) as (casino, operator):
        casino.guest("ada", "Ada", ADA)
        await operator.open("r1", 1)
        assert await shown(operator, "ada") == "Ada"
    async with playing_casino(SqlStore(url)) as (casino, operator):
        casino.guest("mallory", "Ada", MALLORY)
        casino.guest("elsewhere", "Ada", ADA)
        for table, (origin, name) in enumerate((("mallory", "Ada (2)"), ("elsewhere", "Ada")), 2):
            room_id, card = f"after-{origin}", casino.table_card(table)
            again = {"requestId": f"open {room_id}", "tableAgentCardUrl": card}
            await operator.open_room({"roomId": room_id, "config": CONFIG, **again})
            assert await shown(operator, origin, room_id, requestId=origin) == name


async def test_two_simultaneous_players_get_different_names() -> None:
    async with playing_casino() as (casino, operator):
        for number in range(4):
            casino.guest(f"caller{number}", "Caller")
        await operator.open("r1", 1)
        names = await asyncio.gather(*(shown(operator, f"caller{n}") for n in range(4)))
        assert sorted(names) == ["Caller", "Caller (2)", "Caller (3)", "Caller (4)"]
