"""The judge of practice: poses questions, and judges answers as a table does. Pure."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from casino_agentkit.entrypoint import model_of
from casino_contracts import (
    HOLDEM,
    ActionRequest,
    ActionResponse,
    GameActionRequest,
    GameActionResponse,
    Rejection,
)
from casino_play.errors import IllegalAnswer
from casino_play.generic_question import offered_action
from casino_play.holdem_answer import OfferedTotals
from casino_play.player_decision import Action, Question
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from casino_table.practice.practice_hands import Spot, chosen, posed
from casino_table.practice.practice_tables import HOLDEM_TABLES, OTHER_GAMES_TABLES, Examinee


class _Order(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True
    )


class DealOrder(_Order):
    """Choose the questions, for a player as it signed up."""

    do: Literal["deal"]
    seed: int
    count: Annotated[int, Field(ge=1, le=1_000)]
    other_games: Annotated[int, Field(ge=0, le=1_000)] = 0
    """Questions of other games than Hold'em."""
    table_id: str
    player_id: str
    display_name: str
    plays_any_game: bool = False
    is_invoke: bool = False
    """Whether its amounts are those of the invoke profile."""


class AskOrder(_Order):
    """Return the request of a question, by its number."""

    do: Literal["ask"]
    question: Annotated[int, Field(ge=0)]
    attempt: Annotated[int, Field(ge=1, le=2)] = 1
    clock_ms: Annotated[int, Field(ge=0)]
    rejected: Rejection | None = None


class JudgeOrder(_Order):
    """Judge an answer to a question."""

    do: Literal["judge"]
    question: Annotated[int, Field(ge=0)]
    answer: dict[str, Any]


class ReviewOrder(_Order):
    """Judge an answer to a question of the past, which the order has."""

    do: Literal["review"]
    question: dict[str, Any]
    answer: dict[str, Any]


_ORDER: TypeAdapter[DealOrder | AskOrder | JudgeOrder | ReviewOrder] = TypeAdapter(
    Annotated[DealOrder | AskOrder | JudgeOrder | ReviewOrder, Field(discriminator="do")]
)


class PracticeJudge:
    """Poses questions and judges answers, one order after the other."""

    def __init__(self) -> None:
        self._questions: list[Question[Any]] = []

    def reply(self, order: bytes) -> dict[str, Any]:
        """Return the reply to an order, both JSON; an invalid order gets `invalid`."""
        try:
            read = _ORDER.validate_json(order)
            if isinstance(read, ReviewOrder):
                return _reviewed(read)
            if isinstance(read, DealOrder):
                return {"questions": self._deal(read)}
            question = self._questions[read.question]
            if isinstance(read, AskOrder):
                clock = timedelta(milliseconds=read.clock_ms)
                request = question.request(read.attempt, clock, read.rejected)
                return {"request": request.decode(), "brief": question.brief}
            return _judged(question, read.answer)
        except (ValidationError, IndexError) as error:
            return {"invalid": str(error)}

    def _deal(self, deal: DealOrder) -> list[Mapping[str, Any]]:
        spots = chosen(HOLDEM_TABLES, deal.seed, deal.count)
        if deal.other_games:
            spots += chosen(OTHER_GAMES_TABLES, deal.seed, deal.other_games, numbered_after=1_000)
        examinee = Examinee(deal.table_id, deal.player_id, deal.display_name, deal.plays_any_game)
        questions = [posed(spot, examinee) for spot in spots]
        if deal.is_invoke:
            questions = [question.for_invoke_profile() for question in questions]
        self._questions = questions
        return [_described(spot) for spot in spots]


def _described(spot: Spot) -> Mapping[str, Any]:
    game = spot.setup.game_type
    return {"kind": spot.kind, "gameType": game, "isHoldem": game == HOLDEM}


def _judged(question: Question[Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Return the action that an answer is, or why it is illegal."""
    return _outcome(lambda: question.action(model_of(question.reply).model_validate(answer)))


def _reviewed(review: ReviewOrder) -> dict[str, Any]:
    """Return the action that an answer of the past is, or why it is illegal."""
    if "availableActions" not in review.question:
        question = ActionRequest.model_validate(review.question)
        response = ActionResponse.model_validate(review.answer)
        return _outcome(lambda: OfferedTotals.of(question, response).action(response))
    offered = GameActionRequest.model_validate(review.question).available_actions
    of_game = GameActionResponse.model_validate(review.answer)
    return _outcome(lambda: offered_action(of_game, offered))


def _outcome(judge: Callable[[], Action]) -> dict[str, Any]:
    try:
        return {"action": judge()}
    except IllegalAnswer as error:
        message, refused = error.args
        return {"illegal": message, "answer": refused}
