"""A table where a learner plays hands of any game against house styles, one hand an episode.

The result of a hand of Hold'em is its net without `luck`: the chips that the board gave. Luck is 0
in the mean at every card, whatever anybody does, so that the mean of results and the gradient of a
policy are those of nets, with less variance. In other games luck is not known, and counts as 0.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from secrets import randbits
from typing import Annotated, Any, Final

from casino_contracts import HOLDEM, Outcome, Rejection
from casino_games import ActionParseError
from casino_games.game import Json, faults_in
from casino_games.holdem import HoldemGame
from casino_games.registry import action_parser, game_class, specification, state_adapter
from casino_games.shuffle import derive_seed
from casino_gamespec import random_action
from casino_play.generic_question import GameMoment, GameQuestion
from casino_play.hand_questions import HandNames, HandQuestions
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_match import gym
from casino_match.domain.plan import Rules
from casino_match.errors import HandRefused
from casino_match.luck.luck_controls import DECIMALS, pot_luck
from casino_match.play.match_hand import seated
from casino_match.players.local_players import StylePlayer

LEARNER: Final = "player_0"
GENERIC: Final = "generic"
"""What opponents of games other than Hold'em do: they draw an offered action."""
MOST_SEATS: Final = 9
_SEED_BITS: Final = 53
"""Every language has the numbers of so many exactly."""
_CLOCK: Final = Rules().clock
"""What questions say of the time; nobody is late here."""


class HandOrder(BaseModel):
    """Which hand is dealt, to whom; a field that there is not is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    game: str = HOLDEM
    seats: Annotated[int, Field(ge=1, le=MOST_SEATS)] | None = None
    """The game's minimum by default."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """Decides the cards and the dice of the opponents."""
    seating: Annotated[int, Field(ge=0, lt=MOST_SEATS)] | None = None
    """The seats by which everybody moves on; all seatings of a seed are a group."""
    opponents: str | list[str] | None = None
    """A style for all, or one for each, clockwise from the learner."""
    config: dict[str, Any] = Field(default_factory=dict)
    """Settings of the game, as a room's `gameConfig`."""


@dataclass(slots=True)
class LearnerView:
    """What the learner sees: its question, or how the hand came out."""

    text: str
    """The question for a language model, which is all that it needs to answer."""
    question: Json | None = None
    """As agents get it; None when the hand is over."""
    legal_actions: list[Json] = field(default_factory=list)
    result: float | None = None
    """What it won or lost without luck, in units such as big blinds; None before the end."""
    facts: Json = field(default_factory=dict)
    """Net and luck of the result, what became of the last answer, where the learner sits."""


class LearnerTable:
    """Deals hands and plays the opponents; the same order and answers give the same hand."""

    def __init__(self, entropy: Callable[[int], int] = randbits) -> None:
        """Deal nothing yet; `entropy` draws a seed of so many bits where none is given."""
        self._entropy = entropy
        self._made: tuple[str, int, Json] | None = None
        self._env: Any = None
        self._random = 0
        """The seed of the deck that is dealt in every seating where no seed is given."""
        self._next_seating = 0
        self._players: dict[str, StylePlayer] = {}
        """Opponents in Hold'em."""
        self._is_open = False
        self.order: HandOrder | None = None
        """Of this hand, with all that was chosen for it; None before the first deal."""
        self.faults = 0
        """The answers of this hand that were refused."""

    def deal(self, **order: Any) -> LearnerView:
        """Deal a hand of a `HandOrder` and play to the learner's turn, or to the hand's end.

        Raises HandRefused with the field, and GameError; the hand before is then as it was.
        """
        try:
            asked = HandOrder.model_validate(order)
        except ValidationError as error:
            raise HandRefused(faults_in(error, "reset")) from error
        seats = self._seats_of(asked)
        if asked.seating is not None and asked.seating >= seats:
            raise HandRefused(f"seating: {asked.seating} is not from 0 to {seats - 1}")
        styles = _styles_of(asked, seats)
        players = [
            StylePlayer("opponents", style, _CLOCK // timedelta(milliseconds=1), time.monotonic)
            for style in (styles if asked.game == HOLDEM else ())
        ]
        if self._made != (made := (asked.game, seats, asked.config)):
            self._env = gym.env(
                asked.game, players=seats, config=asked.config, normalised=True
            ).unwrapped
            self._made, self._next_seating = made, 0
        self._players = dict(zip(self._env.possible_agents[1:], players, strict=False))
        seed, seating = self._place(asked, seats)
        self.order = asked.model_copy(
            update={"seats": seats, "seed": seed, "seating": seating, "opponents": styles}
        )
        self._env.reset(seed=seed, options={"seating": seating})
        self._table_id = derive_seed(str(seed), "gym table")
        self._questions = self._questions_of_holdem()
        self._decisions = self.faults = 0
        self._is_open = True
        self._rejected: Rejection | None = None
        return self._played_on(None)

    def answer(self, action: str | Json) -> LearnerView:
        """Play the learner's answer, as text or as JSON, to its next turn or to the hand's end.

        The first answer to a question that is no action of it is refused, and the question asked
        once more with the reason; after a second one the default action is played. Neither costs
        the learner more than that. Raises HandRefused where nothing is asked.
        """
        if not self._is_open:
            raise HandRefused(
                "the hand is over: reset deals the next one" if self.order else "reset deals first"
            )
        offers = self._env.game.get_actions_of(LEARNER)
        parser = action_parser(self._env.game.game_type, fallback_to_random=False)
        text = action if isinstance(action, str) else json.dumps(action)
        outcome: Outcome = "ok" if self._rejected is None else "retried"
        try:
            chosen = parser.parse(text, offers)
        except ActionParseError as error:
            self.faults += 1
            if self._rejected is None:
                self._rejected = Rejection(reason="illegal", message=str(error), answer=action)
                return self._asked("rejected")
            chosen, outcome = self._env.game.default_action(LEARNER), "illegal"
        self._rejected = None
        self._play(chosen)
        return self._played_on(outcome)

    def _seats_of(self, asked: HandOrder) -> int:
        rules = game_class(asked.game)
        most = min(rules.max_players, MOST_SEATS)
        seats = rules.min_players if asked.seats is None else asked.seats
        if not rules.min_players <= seats <= most:
            raise HandRefused(
                f"seats: {asked.game} has {rules.min_players} to {most} here, not {seats}"
            )
        return seats

    def _place(self, asked: HandOrder, seats: int) -> tuple[int, int]:
        """Return the seed and the seating: without a seed one deck after the other in each."""
        if asked.seed is not None:
            return asked.seed, asked.seating or 0
        if asked.seating is not None or not self._next_seating:
            self._random = self._entropy(_SEED_BITS)
        if asked.seating is not None:
            return self._random, asked.seating
        seating = self._next_seating
        self._next_seating = (seating + 1) % seats
        return self._random, seating

    def _questions_of_holdem(self) -> HandQuestions | None:
        """Return the questions for the styles, which know seats only, so that equals tie."""
        game = self._env.game
        if not isinstance(game, HoldemGame):
            return None
        names = seated(len(self._env.possible_agents))
        return HandQuestions(game.hand, HandNames(self._table_id, self._table_id, 1, names))

    def _played_on(self, outcome: str | None) -> LearnerView:
        """Play the opponents to the learner's next turn, or to the hand's end."""
        env = self._env
        while not env.terminations[LEARNER]:
            agent = env.agent_selection
            if agent == LEARNER:
                return self._asked(outcome)
            if self._questions is not None:
                decided = self._players[agent].decide(self._questions)
                amount = {"amount": decided.amount} if decided.amount else {}
                self._play({"action_type": decided.kind, **amount})
            else:
                dice = Random(f"{self._table_id} {agent} {self._decisions}")  # noqa: S311  a game
                self._play(random_action(env.game.get_actions_of(agent), dice))
        self._is_open = False
        net, luck = env.rewards[LEARNER], self._luck()
        return LearnerView(
            f"The hand is over: {net:+g}.",
            result=round(net - luck, DECIMALS),
            facts={**self._facts(outcome), "net": net, "luck": luck},
        )

    def _luck(self) -> float:
        game = self._env.game
        if not isinstance(game, HoldemGame):
            return 0.0
        ids = game.get_players()  # the hand's first seat is the first left of the button
        seat = (ids.index(LEARNER) - ids.index(game.get_public_state()["button"]) - 1) % len(ids)
        return pot_luck(game.hand)[seat] / float(self._env.encoding.unit)

    def _play(self, action: Json) -> None:
        self._decisions += 1
        self._env.step(action)

    def _asked(self, outcome: str | None) -> LearnerView:
        game = self._env.game
        spec = specification(game.game_type)
        moment = GameMoment("learner", "hand", 1, f"decision-{self._decisions + 1}", spec.version)
        attempt = 1 + (self._rejected is not None)
        question = GameQuestion(moment, game, LEARNER).request(attempt, _CLOCK, self._rejected)
        offers = game.get_actions_of(LEARNER)
        adapter = state_adapter(game.game_type)
        turn = adapter.state_to_prompt(
            public_state=game.get_public_state(),
            private_state=game.get_private_state(LEARNER),
            valid_actions=offers,
        )
        text = [adapter.format_system_prompt(), turn]
        if self._rejected is not None:
            text.append(f"Your last answer was refused: {self._rejected.message}")
        return LearnerView(
            "\n\n".join(text), json.loads(question), offers, facts=self._facts(outcome)
        )

    def _facts(self, outcome: str | None) -> Json:
        return {
            "seats": len(self._env.possible_agents),
            "seating": self.order and self.order.seating,
            "unit": self._env.encoding.unit,
            "outcome": outcome,
            "faults": self.faults,
        }


def _styles_of(asked: HandOrder, seats: int) -> Sequence[str]:
    """Return the style of each opponent; raises HandRefused."""
    usual = "tight" if asked.game == HOLDEM else GENERIC
    named = usual if asked.opponents is None else asked.opponents
    styles = [named] * (seats - 1) if isinstance(named, str) else named
    if len(styles) != seats - 1:
        raise HandRefused(f"opponents: {seats} seats have {seats - 1}, not {len(styles)}")
    if asked.game != HOLDEM and any(style != GENERIC for style in styles):
        raise HandRefused(f"opponents: of {asked.game} they are {GENERIC}")
    return styles
