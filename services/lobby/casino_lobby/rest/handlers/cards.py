"""REST handlers of the cards that are shown where a link is posted."""

from casino_agentkit.server.page_files import conditional_response, entity_tag
from casino_contracts import MAX_SAFE
from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.access.operator import Operator
from casino_lobby.preview.previews import DrawnCards, Facts, Previews
from casino_lobby.problem_types import ProblemType as P
from casino_lobby.rest.operation import ALWAYS, READS, ROOM, Operation
from casino_lobby.rest.parameters import TextParameter, WholeParameter
from casino_lobby.rest.requests import path_number, path_parameter

PNG = "image/png"
DRAWING = 0.5
"""Price of a card: half a command."""
_FOREVER = "public, max-age=31536000, immutable"
_SHORTLY = "public, max-age=60"
_EPOCH = WholeParameter(
    name="epoch",
    description="Epoch of the room's table. Defaults to the newest.",
    at_least=1,
    at_most=MAX_SAFE,
)
_VERSION = TextParameter(
    name="v",
    description="Version of the card, as links to it have it: caches keep a version for ever.",
    at_most=16,
    pattern=r"^[0-9a-f]{16}$",
)


class CardHandlers:
    """Handles the operations of cards; none shows what is not public."""

    def __init__(self, previews: Previews, cards: DrawnCards, operator: Operator) -> None:
        self._previews = previews
        self._cards = cards
        self._operator = operator

    @Operation(
        operation_id="readHandCard",
        method="GET",
        path="/rooms/{roomId}/hands/{handNumber}/card.png",
        tag="hands",
        who="reader",
        problems=ALWAYS | ROOM | READS | {P.HAND_NOT_FOUND},
        parameters=(_EPOCH, _VERSION),
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
            request, await self._previews.hand(room_id, number, _EPOCH.find(request))
        )

    @Operation(
        operation_id="readRoomCard",
        method="GET",
        path="/rooms/{roomId}/card.png",
        tag="rooms",
        who="reader",
        problems=ALWAYS | ROOM | READS,
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
