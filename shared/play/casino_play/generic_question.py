"""A question of any game to one player, in the format of its specification."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from casino_contracts import GameActionRequest, GameActionResponse, Rejection
from casino_games import Game, IllegalAction, offers
from casino_games.specification import state_of

from casino_play.errors import IllegalAnswer
from casino_play.turn import Action

BRIEF = (
    "You are a player in a game and it is your turn. state has all that you may know."
    " Answer with one of availableActions as action; one with min and max is answered with an"
    " amount from min to max in their place."
)


class GameMoment(NamedTuple):
    """The hand and position of a question."""

    table_id: str
    hand_id: str
    hand_number: int
    question_id: str
    spec_version: str


class GameQuestion:
    """One question to one player; parses the answer."""

    brief = BRIEF
    reply = GameActionResponse

    def __init__(self, moment: GameMoment, game: Game, player_id: str) -> None:
        self._moment = moment
        self._game_type = game.game_type
        self._player_id = player_id
        self._available = game.get_actions_of(player_id)
        self._state = state_of(game, player_id)
        self.default: Action = game.default_action(player_id)

    def request(
        self,
        attempt: int,
        left: timedelta,
        rejected: Rejection | None,
        time_bank_ms: int | None = None,
    ) -> bytes:
        moment = self._moment
        return GameActionRequest(
            table_id=moment.table_id,
            game_type=self._game_type,
            spec_version=moment.spec_version,
            request_id=f"{moment.question_id}:{attempt}",
            player_id=self._player_id,
            state=self._state,
            available_actions=tuple(self._available),
            deadline_ms=int(left.total_seconds() * 1000),
            time_bank_ms=time_bank_ms,
            hand_id=moment.hand_id,
            hand_number=moment.hand_number,
            rejected=rejected,
        ).wire()

    def for_invoke_profile(self) -> "GameQuestion":
        """Return this question: its amounts are those of the specification for every agent."""
        return self

    def action(self, response: GameActionResponse) -> Action:
        return offered_action(response, self._available)


def offered_action(response: GameActionResponse, available: Sequence[Action]) -> Action:
    """Return the answer as one of the available actions; raises IllegalAnswer."""
    try:
        return offers.match(response.action, available)
    except IllegalAction as error:
        raise IllegalAnswer(str(error), {"action": response.action}) from error
