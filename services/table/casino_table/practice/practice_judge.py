"""The judge of practice: poses questions at tables of its own, and judges answers. Pure."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple

from casino_agentkit.entrypoint import model_of
from casino_contracts import (
    HOLDEM,
    ActionRequest,
    ActionResponse,
    GameActionRequest,
    GameActionResponse,
    Rejection,
    TableConfig,
)
from casino_games.hosting.game_properties import chips_needed, traits_of
from casino_play.errors import IllegalAnswer
from casino_play.generic_question import offered_action
from casino_play.holdem_question import OfferedTotals
from casino_play.turn import Action, Decision, Question
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from casino_table.domain.seat import Places, Seat, next_deal
from casino_table.domain.table import Table
from casino_table.play.running_hand import RunningHand

CASINO: Final = "Practice"
_HANDS: Final = 1_000
_MOST_BLINDS: Final = 10_000_000_000


class Examinee(NamedTuple):
    """The player that is asked, as it signed up."""

    table_id: str
    player_id: str
    display_name: str
    plays_any_game: bool = False


NOBODY: Final = Examinee("practice", "player-0", "Nobody")


@dataclass(frozen=True)
class PracticeTable:
    """One table of practice; stacks are in its config's unit, by seat."""

    label: str
    stacks: Sequence[float]
    small_blind: float = 1
    big_blind: float = 2
    ante: float = 0
    game_type: str = HOLDEM

    def table(self, seat_number: int = 0, examinee: Examinee = NOBODY) -> Table:
        """Return its table with all players seated, the examinee in the seat `seat_number`."""
        deepest, shortest = max(self.stacks), min(self.stacks)
        stack = max(deepest, self.big_blind)
        traits = traits_of(self.game_type)
        table = Table(
            examinee.table_id,
            CASINO,
            TableConfig(
                starting_stack=stack,
                small_blind=self.small_blind,
                big_blind=self.big_blind,
                min_buy_in=min(shortest, stack),
                max_buy_in=stack,
                max_hands=_HANDS,
                max_seats=len(self.stacks),
                ante=self.ante,
            ),
            epoch=1,
            game_type=self.game_type,
            game_config={},
            min_players=traits.min_players,
            chips_needed=chips_needed(self.game_type, {}),
            plays_for_chips=traits.plays_for_chips,
        )
        for number, chips in enumerate(self.stacks):
            player = examinee
            if number != seat_number:
                opponent = f"opponent-{number + 1}", f"Opponent {number + 1}"
                player = Examinee(examinee.table_id, *opponent)
            seat = Seat(
                number,
                player.player_id,
                player.display_name,
                card_url="",
                action_skill="",
                stack=table.unit.chips(chips),
                is_new=False,
                plays_any_game=player.plays_any_game,
            )
            table.take_seat(seat)
        return table


HOLDEM_TABLES: Final = (
    PracticeTable("six seats", (200,) * 6),
    PracticeTable("heads-up", (200, 200)),
    PracticeTable("nine seats", (200, 180, 320, 90, 200, 40, 510, 200, 200)),
    PracticeTable("short stacks", (3, 1, 2, 12, 7, 200)),
    PracticeTable("short stack against deep ones", (9, 400, 400)),
    PracticeTable("antes", (100, 60, 100, 80), ante=1),
    PracticeTable("decimals", (50, 37.25, 50.5), small_blind=0.25, big_blind=0.5),
    PracticeTable(
        "big numbers",
        (200 * _MOST_BLINDS, 150 * _MOST_BLINDS + 7, 200 * _MOST_BLINDS),
        small_blind=_MOST_BLINDS // 2,
        big_blind=_MOST_BLINDS,
    ),
)

OTHER_GAMES_TABLES: Final = (
    PracticeTable("Leduc", (200, 200), game_type="leduc_poker"),
    PracticeTable("Kuhn", (200, 200), game_type="kuhn_poker"),
)


_HANDS_OF_A_TABLE: Final = 20
_WEIGHTS: Final = {"fold": 12, "check": 40, "call": 40, "bet": 25, "raise": 25, "all-in": 5}
_OTHER_WEIGHT: Final = 20
_SMALL: Final = 3
"""How many of the four bets and raises are the smallest."""


class Spot(NamedTuple):
    """One decision of one hand of practice."""

    setup: PracticeTable
    number: int
    """The number of the hand, of no other table: ids of questions contain it."""
    seat_number: int
    seed: str
    actions: tuple[Action, ...]
    stage: str
    """The betting round, "" in other games."""
    legal: tuple[str, ...]
    """The types of the legal actions."""

    @property
    def kind(self) -> str:
        stage = f", {self.stage}" if self.stage else ""
        return f"{self.setup.label}{stage}: {', '.join(self.legal)}"


@cache
def chosen(
    setups: tuple[PracticeTable, ...], seed: int, count: int, numbered_after: int = 0
) -> tuple[Spot, ...]:
    """Return the decisions to ask: every set of legal actions, then every table and round.

    They are the same for the same seed. The numbers of their hands follow `numbered_after`.
    """
    chance = random.Random(seed)  # noqa: S311  the choice is no secret
    spots = [
        spot
        for at, setup in enumerate(setups)
        for spot in _spots_of(setup, numbered_after + at * _HANDS_OF_A_TABLE, seed, chance)
    ]
    chance.shuffle(spots)
    picked: list[Spot] = []
    for key in (_by_legal, _by_stage, _by_all):
        seen = {key(spot) for spot in picked}
        for spot in spots:
            if key(spot) not in seen and len(picked) < count:
                seen.add(key(spot))
                picked.append(spot)
    chosen_ids = {id(spot) for spot in picked}
    rest = (spot for spot in spots if id(spot) not in chosen_ids)
    picked += [spot for spot, _ in zip(rest, range(count - len(picked)), strict=False)]
    return tuple(picked)


def posed(spot: Spot, examinee: Examinee) -> Question[Any]:
    table = spot.setup.table(spot.seat_number, examinee)
    hand = _begun(table, spot.number, spot.seed)
    for action in spot.actions:
        hand.act(Decision(action, "ok"))
    return hand.question(table.seats[spot.seat_number])


def _spots_of(setup: PracticeTable, after: int, seed: int, chance: random.Random) -> Iterator[Spot]:
    """Yield all decisions of random hands; their numbers follow `after`."""
    for number in range(after + 1, after + _HANDS_OF_A_TABLE + 1):
        hand_seed = f"practice/{seed}/{number}"
        hand = _begun(setup.table(), number, hand_seed)
        actions: list[Action] = []
        while not hand.is_over:
            seat = hand.next_seat
            available = hand.game.get_actions_of(seat.player_id)
            legal = tuple(action["action_type"] for action in available)
            stage = str(hand.game.get_public_state().get("betting_round", ""))
            yield Spot(setup, number, seat.number, hand_seed, tuple(actions), stage, legal)
            action = _random_action(available, chance)
            actions.append(action)
            hand.act(Decision(action, "ok"))


def _begun(table: Table, number: int, seed: str) -> RunningHand:
    seats = list(table.seats.values())
    deal = next_deal(seats, Places(None, seats[number % len(seats)].number), number)
    return RunningHand(table, deal, seed)


def _random_action(available: Sequence[Action], chance: random.Random) -> Action:
    weights = [_WEIGHTS.get(action["action_type"], _OTHER_WEIGHT) for action in available]
    (action,) = chance.choices(available, weights)
    if "min" not in action:
        return action
    least, most = action["min"], action["max"]
    is_small = chance.randrange(_SMALL + 1) < _SMALL
    amount = least if is_small else chance.randint(least, most)
    return {"action_type": action["action_type"], "amount": amount}


def _by_legal(spot: Spot) -> object:
    return spot.setup.game_type, spot.legal


def _by_stage(spot: Spot) -> object:
    return spot.setup.label, spot.stage


def _by_all(spot: Spot) -> object:
    return spot.setup.label, spot.stage, spot.legal


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
