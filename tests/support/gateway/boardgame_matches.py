"""Matches at a gateway, for the tests of the Boardgame Protocol."""

from collections.abc import Sequence
from itertools import count
from typing import Any, Generic

from casino_contracts import TableEvent
from casino_gamespec import GameSpec
from typing_extensions import TypeVar
from websockets.asyncio.client import connect

from support.gateway.live_gateway import RULES, Json, LiveGateway, LoopGateway, OutsideSeat
from support.processes import eventually

AGateway = TypeVar("AGateway", bound=LiveGateway | LoopGateway, default=LiveGateway)

KUHN = "kuhn_poker"
MATCH: Json = {"maxHands": 3, "seed": "bgp", "actionTimeoutMs": 20_000}
"""A clock that does not end while a busy machine seats the second player."""
POLLING_S = 0.05
_numbers = count(1)


class Matches(Generic[AGateway]):
    """Opens rooms on hosted tables, which start when their last seat is taken."""

    def __init__(self, live: AGateway) -> None:
        self.live = live

    async def open(self, game: str = KUHN, **config: Any) -> str:
        """Return the id of a new room for two."""
        match_id = f"match-{next(_numbers)}"
        body = {
            "roomId": match_id,
            "gameType": game,
            "config": {**RULES, **MATCH, **config},
            "tableAgentCardUrl": self.live.casino.take_table(),
        }
        reply = await self.live.casino.http.post("/v1/rooms", json=body)
        assert reply.status_code == 201, reply.text
        return match_id

    async def pair(self, game: str = KUHN, **config: Any) -> tuple[OutsideSeat, OutsideSeat]:
        """Open a match between two seats of the gateway, an agent and a person."""
        match_id = await self.open(game, **config)
        one = await self.live.sit(match_id, "Agent One")
        async with self.socket(one):  # so that it is present however long the other takes
            return one, await self.live.sit(match_id, "Agent Two", "human")

    async def specification(self, game: str = KUHN) -> GameSpec:
        reply = await self.live.casino.http.get(f"/api/games/{game}/spec")
        return GameSpec.parse(reply.text)

    async def taken(self, match_id: str) -> list[TableEvent]:
        """Return the decisions of a match, as the lobby recorded them."""
        events = await self.live.casino.events(match_id)
        return [event for event in events if event.event_type == "action_taken"]

    def socket(
        self, seat: OutsideSeat, query: str = "", subprotocols: Sequence[Any] | None = None
    ) -> connect:
        return connect(
            f"{self.live.socket_url}/bgp/ws{query}",
            additional_headers=seat.headers,
            subprotocols=subprotocols,
            proxy=None,
        )


async def to_decide(*seats: OutsideSeat) -> tuple[OutsideSeat, Json]:
    """Wait until one of the seats is to decide; returns it with its state."""

    async def asked() -> tuple[OutsideSeat, Json] | None:
        for seat in seats:
            state = await seat.state()
            if state["stage"] == "act":
                return seat, state
        return None

    decision = await eventually(asked, every=POLLING_S)
    assert decision is not None
    return decision


async def until(seat: OutsideSeat, status: str) -> Json:
    """Wait until the match has a status; returns the state."""

    async def has() -> Json:
        state = await seat.state()
        return state if state["status"] == status else {}

    return await eventually(has, every=POLLING_S)


async def play_out(*seats: OutsideSeat) -> None:
    """Take the first offer of every decision until the match is over."""

    async def is_over() -> bool:
        for seat in seats:
            state = await seat.state()
            if state["status"] in {"ended", "abandoned"}:
                return True
            if state["stage"] == "act":
                await take_first(seat, state)
        return False

    await eventually(is_over, every=POLLING_S)


async def take_first(seat: OutsideSeat, state: Json) -> Json:
    offer = state["state"]["data"]["available_actions"][0]
    return await seat.act(offer["action_type"], turn=state["turn"])
