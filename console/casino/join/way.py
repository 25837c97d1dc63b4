"""How a bot gets its seat: registered at the lobby by its card, or by a gateway it dialled."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from casino_contracts import Reason, RegisteredPlayer, RegisterPlayerInput

from casino.errors import CallFailed, DialFailed
from casino.join.dial_out import DialOut
from casino.lobby_api import LobbyApi

_SECONDS_OF_A_HAND = 10.0


class Way(Protocol):
    """Takes and gives back the seat. Raises CallFailed, DialFailed."""

    async def join(self, room_id: str, seat: int | None) -> RegisteredPlayer:
        """Take a seat."""
        ...

    async def leave(self, room_id: str, player_id: str) -> None:
        """Give it back, after the running hand."""
        ...


@dataclass(frozen=True)
class ByCard:
    """The lobby calls the agent of this process at its card."""

    api: LobbyApi
    card_url: str

    async def join(self, room_id: str, seat: int | None) -> RegisteredPlayer:
        """Take a seat."""
        return await self.api.register(
            RegisterPlayerInput(
                room_id=room_id,
                agent_card_url=self.card_url,
                preferred_seat=seat,
                request_id=secrets.token_hex(16),
            )
        )

    async def leave(self, room_id: str, player_id: str) -> None:
        """Give it back, after the running hand."""
        await self.api.leave(room_id, player_id)


@dataclass(frozen=True)
class ByDialling:
    """A gateway calls over the connection that this process opened, and registers the bot."""

    dial: DialOut
    request_id: str

    async def join(self, room_id: str, seat: int | None) -> RegisteredPlayer:
        """Take a seat."""
        order: dict[str, Any] = {"roomId": room_id, "requestId": self.request_id}
        if seat is not None:
            order["preferredSeat"] = seat
        return RegisteredPlayer.model_validate(await self.dial.request("join", order))

    async def leave(self, room_id: str, player_id: str) -> None:  # noqa: ARG002  its own seat
        """Give it back, after the running hand."""
        order = {"roomId": room_id, "requestId": self.request_id}
        await self.dial.request("leave", order)


async def no_room(api: LobbyApi, room_id: str, lobby: str, error: CallFailed) -> CallFailed:
    """Return the error of a room that does not exist: how to make one, and which there are."""
    if error.reason != Reason.ROOM_NOT_FOUND:
        return error
    there: tuple[str, ...] = ()
    with suppress(CallFailed):
        there = tuple(room.room_id for room in (await api.rooms()).rooms)
    rooms = f" The rooms there: {', '.join(there[:10])}." if there else ""
    at = "" if lobby == "http://127.0.0.1:4000" else f" --lobby {lobby}"
    return CallFailed(
        f"there is no room {room_id} at {lobby}.{rooms}"
        f" Make it: casino room create {room_id}{at}; or join with --up, which needs no room"
    )


async def until_left(is_over: Callable[[], bool], following: "asyncio.Task[None]") -> None:
    """Wait until the seat is gone, as far as the lobby can be followed."""
    if following.done():
        if not is_over():
            await asyncio.sleep(_SECONDS_OF_A_HAND)  # the table may still ask in this hand
        return
    with suppress(CallFailed, DialFailed):
        await following
