"""REST handlers of completed hands."""

from casino_agentkit import CommandRefused
from casino_contracts import HandDetail, HandPage
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.rest import queries
from casino_lobby.rest.requests import path_number, path_parameter
from casino_lobby.rest.responses import json_response
from casino_lobby.service.hands import Hands
from casino_lobby.service.lobby import LobbyService
from casino_lobby.store import HandKey

_PRIVATE = {"Cache-Control": "no-store"}


class HandHandlers:
    """Handles the operations of hands.

    Summaries and public events come from the lobby's store, full records from the table.
    """

    def __init__(self, casino: LobbyService, hands: Hands) -> None:
        self._casino = casino
        self._hands = hands

    async def list_hands(self, request: Request) -> Response:
        """Respond to `listHands`."""
        room = self._casino.room(path_parameter(request, "roomId"))
        limit = queries.HANDS_LIMIT.read(request)
        newest_first = queries.HANDS_ORDER.read(request) == "newest"
        after = _key(queries.HANDS_AFTER.read(request))
        # One more than the limit shows whether there is another page.
        hands = await self._hands.summaries(room, after, limit + 1, newest_first=newest_first)
        page = tuple(hands[:limit])
        next_ = f"{page[-1].epoch}.{page[-1].hand_number}" if len(hands) > limit else None
        return json_response(HandPage(hands=page, next=next_))

    async def read_hand(self, request: Request) -> Response:
        """Respond to `readHand`."""
        room = self._casino.room(path_parameter(request, "roomId"))
        number = path_number(request, "handNumber")
        hand = await self._hands.find(room, number, queries.EPOCH.find(request))
        return json_response(
            HandDetail(
                room_id=room.room_id,
                hand=self._hands.summary(room, hand),
                events=tuple(await self._hands.events(room, hand)),
            )
        )

    async def read_hand_record(self, request: Request) -> Response:
        """Respond to `readHandRecord`."""
        room = self._casino.room(path_parameter(request, "roomId"))
        number = path_number(request, "handNumber")
        epoch = queries.EPOCH.find(request)
        if number == room.running_hand and epoch in {None, room.epoch}:
            raise CommandRefused(
                "HAND_RUNNING",
                f"Hand {number} is still being played; try again when it is completed.",
            )
        hand = await self._hands.find(room, number, epoch)
        hand_id = self._hands.summary(room, hand).hand_id
        return json_response(await self._casino.hand_record(room, hand_id), headers=_PRIVATE)


def _key(after: str | None) -> HandKey | None:
    """Return the key in an `after` parameter, None for the first page."""
    if after is None:
        return None
    epoch, _, number = after.partition(".")
    return HandKey(int(epoch), int(number))
