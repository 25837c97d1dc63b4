"""REST handlers of the decisions of a player."""

from casino_contracts import PlayerFaults
from starlette.requests import Request

from casino_lobby.access.operator import bearer_token
from casino_lobby.access.player_readers import FaultReaders
from casino_lobby.problem_types import ProblemType as P
from casino_lobby.rest.operation import ALWAYS, READS, ROOM, Operation
from casino_lobby.rest.requests import path_parameter
from casino_lobby.service.player_faults import faults_of
from casino_lobby.service.use_cases import UseCases


class PlayerHandlers:
    """Handles the operations of players that are no commands."""

    def __init__(self, lobby: UseCases, readers: FaultReaders) -> None:
        self._lobby = lobby
        self._readers = readers

    @Operation(
        operation_id="readPlayerFaults",
        method="GET",
        path="/v1/rooms/{roomId}/players/{playerId}/faults",
        tag="players",
        who="reader",
        problems=ALWAYS | ROOM | READS | {P.PLAYER_NOT_FOUND},
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
        return faults_of(room, player_id, self._readers.reader(token, room, player_id))
