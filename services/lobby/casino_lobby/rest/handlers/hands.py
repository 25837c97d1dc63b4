"""Hands over REST: one method per operation."""

from casino_agentkit import CommandRefused
from casino_contracts import HandDetail, HandPage
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.rest import queries
from casino_lobby.rest.requests import in_path, number_in_path
from casino_lobby.rest.responses import message
from casino_lobby.service.hands import Hands
from casino_lobby.service.lobby import LobbyService
from casino_lobby.store import HandKey

_PRIVATE = {"Cache-Control": "no-store"}


class HandHandlers:
    """Public facts are the lobby's own; a whole record is the table's, for the operator."""

    def __init__(self, casino: LobbyService, hands: Hands) -> None:
        self._casino = casino
        self._hands = hands

    async def list_hands(self, request: Request) -> Response:
        """Answer `listHands`."""
        room = self._casino.room(in_path(request, "roomId"))
        limit = queries.HANDS_LIMIT.read(request)
        newest_first = queries.HANDS_ORDER.read(request) == "newest"
        after = _key(queries.HANDS_AFTER.read(request))
        # One more than asked for tells whether there are more.
        found = await self._hands.summaries(room, after, limit + 1, newest_first=newest_first)
        page = tuple(found[:limit])
        goes_on = f"{page[-1].epoch}.{page[-1].hand_number}" if len(found) > limit else None
        return message(HandPage(hands=page, next=goes_on))

    async def read_hand(self, request: Request) -> Response:
        """Answer `readHand`."""
        room = self._casino.room(in_path(request, "roomId"))
        number = number_in_path(request, "handNumber")
        hand = await self._hands.find(room, number, queries.EPOCH.find(request))
        return message(
            HandDetail(
                room_id=room.room_id,
                hand=self._hands.summary(room, hand),
                events=tuple(await self._hands.events(room, hand)),
            )
        )

    async def read_hand_record(self, request: Request) -> Response:
        """Answer `readHandRecord`."""
        room = self._casino.room(in_path(request, "roomId"))
        number = number_in_path(request, "handNumber")
        epoch = queries.EPOCH.find(request)
        if number == room.running_hand and epoch in {None, room.epoch}:
            raise CommandRefused(
                "HAND_RUNNING", f"Hand {number} is being played; ask when it is over."
            )
        hand = await self._hands.find(room, number, epoch)
        hand_id = self._hands.summary(room, hand).hand_id
        return message(await self._casino.hand_record(room, hand_id), headers=_PRIVATE)


def _key(after: str | None) -> HandKey | None:
    """Return where a page goes on."""
    if after is None:
        return None
    epoch, _, number = after.partition(".")
    return HandKey(int(epoch), int(number))
