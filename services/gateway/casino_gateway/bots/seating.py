"""Seats of bots that dialled in: the gateway registers them at its lobby."""

import hashlib

from casino_agentkit import CommandRefused
from casino_contracts import RegisteredPlayer, RegisterPlayerInput
from casino_lobby_client.client import LobbyClient
from casino_lobby_client.errors import CallRefused, LobbyAway, UnknownRoom

from casino_gateway.bots.codes import BotReason
from casino_gateway.bots.dialled_bot import DialledBot
from casino_gateway.bots.orders import Join, Leave

_GONE = {404, 410}
_SEATS = 8
"""Seats of one bot at a time."""


class Seating:
    """Takes and gives back seats. All methods raise CommandRefused with the lobby's reason."""

    def __init__(self, lobby: LobbyClient) -> None:
        self._lobby = lobby

    async def join(self, bot: DialledBot, card_url: str, join: Join) -> RegisteredPlayer:
        """Seat a bot; the same request again gets the same seat."""
        if len(bot.players) >= _SEATS and (join.room_id, join.request_id) not in bot.players:
            raise CommandRefused(
                BotReason.TOO_MANY_SEATS, f"A bot has at most {_SEATS} seats; leave one."
            )
        try:
            seat = await self._lobby.register(
                RegisterPlayerInput(
                    room_id=join.room_id,
                    agent_card_url=card_url,
                    preferred_seat=join.preferred_seat,
                ),
                key=_key(bot, join.request_id),
            )
        except UnknownRoom as error:
            raise CommandRefused(BotReason.UNKNOWN_ROOM, _no_room(join.room_id)) from error
        except CallRefused as error:
            raise CommandRefused(error.reason, error.message) from error
        except LobbyAway as error:
            raise CommandRefused(BotReason.LOBBY_UNAVAILABLE, str(error)) from error
        bot.players[join.room_id, join.request_id] = seat.player_id
        return seat

    async def leave(self, bot: DialledBot, card_url: str, leave: Leave) -> None:
        """Give a seat back, after the running hand.

        A restarted gateway gets the player's id by the same registration again, so that a bot can
        give back no seat but its own.
        """
        player_id = bot.players.get((leave.room_id, leave.request_id))
        if player_id is None:
            join = Join(room_id=leave.room_id, request_id=leave.request_id)
            player_id = (await self.join(bot, card_url, join)).player_id
        try:
            await self._lobby.leave(leave.room_id, player_id)
        except UnknownRoom:
            pass
        except CallRefused as error:
            if error.status not in _GONE:
                raise CommandRefused(error.reason, error.message) from error
        except LobbyAway as error:
            raise CommandRefused(BotReason.LOBBY_UNAVAILABLE, str(error)) from error
        bot.players.pop((leave.room_id, leave.request_id), None)


def _key(bot: DialledBot, request_id: str) -> str:
    """Return the idempotency key of a registration: no other bot can have the same."""
    return hashlib.sha256(f"{bot.bot_id}/{request_id}".encode()).hexdigest()


def _no_room(room_id: str) -> str:
    return f"There is no room {room_id}; `casino rooms` lists those that are open."
