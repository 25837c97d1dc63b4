"""REST handlers of hands as files: PHH, and the cards that are shown where a link is posted."""

from urllib.parse import quote

from casino_agentkit.server.page_files import conditional_response, entity_tag
from casino_contracts import HOLDEM
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.access.operator import Operator, bearer_token, is_of_operator
from casino_lobby.preview.previews import DrawnCards, Facts, Previews
from casino_lobby.problem import ProblemType as P
from casino_lobby.rest.hand_routes import EPOCH, hand_key
from casino_lobby.rest.operation import Operation
from casino_lobby.rest.request_reading import (
    TextParameter,
    WholeParameter,
    invalid,
    path_number,
    path_parameter,
)
from casino_lobby.service.completed_hands import Hands, RoomHistories
from casino_lobby.service.use_cases import UseCases

PHHS = "application/toml"
_WRITING = 0.5
"""Price of a page before its bytes: half a command."""
_AFTER = TextParameter(
    "after",
    "Return only hands after this position, as the header `Link` has it.",
    at_most=40,
    pattern=r"^[0-9]{1,16}\.[0-9]{1,16}$",
)
_LIMIT = WholeParameter("limit", "Maximum number of hands.", at_least=1, at_most=200, default=100)


PNG = "image/png"
DRAWING = 0.5
"""Price of a card: half a command."""
_FOREVER = "public, max-age=31536000, immutable"
_SHORTLY = "public, max-age=60"
_VERSION = TextParameter(
    "v",
    "Version of the card, as links to it have it: caches keep a version for ever.",
    at_most=16,
    pattern=r"^[0-9a-f]{16}$",
)


class HandFileHandlers:
    """Handles the operations of histories and cards; no card shows what is not public."""

    def __init__(
        self,
        lobby: UseCases,
        hands: Hands,
        previews: Previews,
        cards: DrawnCards,
        operator: Operator,
    ) -> None:
        self._lobby = lobby
        self._previews = previews
        self._cards = cards
        self._histories = RoomHistories(lobby, hands)
        self._operator = operator

    @Operation(
        "readHandHistories",
        "GET /v1/rooms/{roomId}/hands.phhs",
        tag="hands",
        who="reader",
        problems={P.HAND_NOT_FOUND},
        parameters=(_AFTER, _LIMIT),
        media_type=PHHS,
        price=_WRITING,
    )
    async def read_histories(self, request: Request) -> Response:
        """Get completed hands as a PHH file.

        Returns hands of Hold'em in the order of play as numbered tables of a `.phhs` file, with the
        cards that were shown, or with all of them for the operator. If more hands follow, the
        header `Link` has the address of the next page, which is a file of its own. A hand that
        cannot be written, and one whose hidden cards are missing, has a comment that says why.
        """
        token = bearer_token(request.headers.get("authorization"))
        if token and self._operator.is_known:
            self._operator.admit(token)  # a wrong key must not lead to fewer cards unnoticed
        is_operator = is_of_operator(request, self._operator)
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        if room.game_type != HOLDEM:
            raise invalid("roomId", f"is a room of {room.game_type[:64]}: {HOLDEM} is written only")
        after, limit = hand_key(_AFTER.read(request)), _LIMIT.read(request)
        page = await self._histories.page(room, after, limit, with_all_cards=is_operator)
        headers = {
            "Content-Disposition": 'attachment; filename="hands.phhs"',
            "X-Content-Type-Options": "nosniff",
        }
        if is_operator:
            headers["Cache-Control"] = "no-store"
        if page.next is not None:
            place = f"{page.next.epoch}.{page.next.number}"
            path = f"hands.phhs?after={quote(place)}&limit={limit}"
            headers["Link"] = f'<{path}>; rel="next"'
        return Response(page.text, media_type=PHHS, headers=headers)

    @Operation(
        "readHandCard",
        "GET /rooms/{roomId}/hands/{handNumber}/card.png",
        tag="hands",
        who="reader",
        problems={P.HAND_NOT_FOUND},
        parameters=(EPOCH, _VERSION),
        media_type=PNG,
        may_be_unchanged=True,
        price=DRAWING,
    )
    async def read_hand_card(self, request: Request) -> Response:
        """Get the picture of a completed hand.

        Returns who won, the board, the pot, and the hands that were shown, 1200 by 630 pixels.
        """
        room_id = path_parameter(request, "roomId")
        number = path_number(request, "handNumber")
        return await self._reply(
            request, await self._previews.hand(room_id, number, EPOCH.find(request))
        )

    @Operation(
        "readRoomCard",
        "GET /rooms/{roomId}/card.png",
        tag="rooms",
        who="reader",
        parameters=(_VERSION,),
        media_type=PNG,
        may_be_unchanged=True,
        price=DRAWING,
    )
    async def read_room_card(self, request: Request) -> Response:
        """Get the picture of a room.

        Returns who plays and who leads, 1200 by 630 pixels.
        """
        return await self._reply(
            request, await self._previews.room(path_parameter(request, "roomId"))
        )

    async def _reply(self, request: Request, facts: Facts) -> Response:
        card = await self._cards.card(facts)
        is_version = _VERSION.read(request) == self._cards.version(facts)
        caching = _FOREVER if is_version else _SHORTLY
        if self._operator.guards_reading:
            caching = "private, no-store"
        headers = {"Cache-Control": caching, "X-Content-Type-Options": "nosniff"}
        return conditional_response(
            request, card, entity_tag(card), media_type=PNG, headers=headers
        )
