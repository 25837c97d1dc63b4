"""REST handlers of what players did: over all rooms, own hands, faults of decisions."""

from casino_agentkit import CommandRefused
from casino_contracts import HOLDEM, Career, CareerList, OwnHandDetail, OwnHandPage, PlayerFaults
from starlette.requests import Request

from casino_lobby.access.operator import Operator, bearer_token
from casino_lobby.access.player_readers import FaultReaders, PlayerReaders
from casino_lobby.access.request_budget import RECORDS
from casino_lobby.problem import ProblemType as P
from casino_lobby.rest.hand_routes import EPOCH, hand_key
from casino_lobby.rest.operation import READS, Operation
from casino_lobby.rest.request_reading import (
    ChoiceParameter,
    TextParameter,
    WholeParameter,
    path_number,
    path_parameter,
)
from casino_lobby.service.own_hands import OwnHands, faults_of
from casino_lobby.service.use_cases import CareerQueries, UseCases
from casino_lobby.store import Store

_AFTER = TextParameter(
    "after",
    "Return only hands after this position: the `next` of the previous page.",
    at_most=40,
    pattern=r"^[0-9]{1,16}\.[0-9]{1,16}$",
)
_LIMIT = WholeParameter("limit", "Maximum number of hands.", at_least=1, at_most=50, default=20)
_ORDER = ChoiceParameter(
    "order",
    "`newest`, or at most 20 hands: `losses`, those with the greatest losses, or"
    " `faults`, those of the newest faults.",
    choices=("newest", "losses", "faults"),
    default="newest",
)


_CAREER_AFTER = TextParameter(
    "after", "The `next` of the page before.", at_most=16, pattern="^[0-9a-f]{16}$"
)
PLAYERS_LIMIT = WholeParameter(
    "limit", "Maximum number of players.", at_least=1, at_most=500, default=100
)
_GAME = TextParameter("gameType", "The game; Hold'em by default.", at_most=100)


class PlayerHandlers:
    """Handles the operations of players that are no commands; `admission` is that of own hands."""

    def __init__(
        self,
        lobby: UseCases,
        careers: CareerQueries,
        store: Store,
        operator: Operator,
        fault_readers: FaultReaders,
    ) -> None:
        readers = PlayerReaders(operator)

        async def admit(request: Request) -> None:
            token = bearer_token(request.headers.get("authorization"))
            try:
                room = await lobby.find_room(path_parameter(request, "roomId"))
            except CommandRefused:
                readers.admit_to_missing(token)
                raise
            readers.admit(token, room, path_parameter(request, "playerId"))

        self.admission = admit
        self._lobby = lobby
        self._careers = careers
        self._fault_readers = fault_readers
        self._hands = OwnHands(lobby, store)

    @Operation(
        "listPlayers",
        "GET /v1/players",
        tag="players",
        who="reader",
        problems=READS,
        parameters=(_GAME, _CAREER_AFTER, PLAYERS_LIMIT),
    )
    async def list_players(self, request: Request) -> CareerList:
        """List the casino's players.

        Returns who has played a game in rooms of the casino, people left out, each with its results
        over all of them. First come the players whose result is decided, by the lower bound of
        their interval, with a rank, then the others by their number of hands. If the response has
        `next`, pass it as `after` to get the next page.
        """
        game_type = _GAME.read(request) or HOLDEM
        return await self._careers.ranking(
            game_type, _CAREER_AFTER.read(request), PLAYERS_LIMIT.read(request)
        )

    @Operation(
        "readPlayer",
        "GET /v1/players/{careerId}",
        tag="players",
        who="reader",
        problems=READS | {P.PLAYER_NOT_FOUND},
    )
    async def read_player(self, request: Request) -> Career:
        """Get a player.

        Returns what one player did over all rooms of the casino: results by game and by room,
        statistics of play, style, best hands, failed decisions and costs.
        """
        return await self._careers.career(path_parameter(request, "careerId"))

    @Operation(
        "readPlayerFaults",
        "GET /v1/rooms/{roomId}/players/{playerId}/faults",
        tag="players",
        who="reader",
        problems={P.PLAYER_NOT_FOUND},
        is_private=True,
    )
    async def read_faults(self, request: Request) -> PlayerFaults:
        """Get the faults of a player.

        Returns how many of the player's decisions had which outcome. The operator, and the player
        with the `seatToken` of its sign-up as bearer token, also get the newest faults with their
        reasons; the operator gets the reasons of the running hand once it is over.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        player_id = path_parameter(request, "playerId")
        token = bearer_token(request.headers.get("authorization"))
        return faults_of(room, player_id, self._fault_readers.reader(token, room, player_id))

    @Operation(
        "listOwnHands",
        "GET /v1/rooms/{roomId}/players/{playerId}/hands",
        tag="players",
        who="player",
        price=RECORDS,
        problems={P.PLAYER_NOT_FOUND},
        parameters=(_ORDER, _AFTER, _LIMIT),
        is_private=True,
    )
    async def list_hands(self, request: Request) -> OwnHandPage:
        """List the completed hands of a player, as it saw them.

        Requires the `seatToken` of the player's sign-up, the view key derived from it, or the
        operator's key. Returns the player's own cards, position, net and faults; of the others
        only what was public. A page may be shorter than `limit`: it ends where there is no `next`.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        player_id, limit = path_parameter(request, "playerId"), _LIMIT.read(request)
        match _ORDER.read(request):
            case "losses":
                return await self._hands.with_losses(room, player_id, limit)
            case "faults":
                return await self._hands.with_faults(room, player_id, limit)
        after = hand_key(_AFTER.read(request))
        return await self._hands.newest(room, player_id, after, limit)

    @Operation(
        "readOwnHand",
        "GET /v1/rooms/{roomId}/players/{playerId}/hands/{handNumber}",
        tag="players",
        who="player",
        price=RECORDS,
        problems={P.HAND_NOT_FOUND},
        parameters=(EPOCH,),
        is_private=True,
    )
    async def read_hand(self, request: Request) -> OwnHandDetail:
        """Get a completed hand of a player with its decisions.

        Requires what `listOwnHands` requires. Returns each question that the player was asked,
        its answer, the outcome with the reason, and how long it took.
        """
        room = await self._lobby.find_room(path_parameter(request, "roomId"))
        player_id = path_parameter(request, "playerId")
        number = path_number(request, "handNumber")
        return await self._hands.hand(room, player_id, number, EPOCH.find(request))
