"""Hands of Hold'em between a bot's function and others, in this process, as a match plays them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from casino_contracts import Outcome
from casino_match.domain.plan import Deal, Entrant, Plan, Rules
from casino_match.play.block import play_block
from casino_match.players.function import FunctionPlayer
from casino_match.players.function_source import GivenFunction
from casino_match.players.local import local_player
from casino_match.players.player import Decided, Player
from casino_match.players.style import SCHEME
from casino_play.bot_file import Function
from casino_play.holdem_fields import HoldemFields

_RULES: Final = Rules()


@dataclass(frozen=True)
class Fault:
    """A decision that the bot did not take with its first answer."""

    hand: int
    """The number of the hand, from 1."""
    outcome: Outcome
    """`retried` if its second answer was legal; else `illegal`, `malformed`, `timeout` or `away`,
    and it checked or folded."""
    reason: str
    """Why the answer was refused, as the bot reads it; an exception with its line."""
    turn: dict[str, Any] = field(repr=False)
    """The question."""


@dataclass(frozen=True)
class Played:
    """What came of the hands."""

    hands: int
    nets: tuple[int, ...]
    """Chips that each player won or lost: the bot's first. They sum to 0."""
    outcomes: Mapping[Outcome, int]
    """How many of the bot's decisions had which outcome."""
    faults: tuple[Fault, ...]


class _Noted(FunctionPlayer):
    """A function whose faults are noted."""

    def __init__(self, entrant: Entrant, plan: Plan, function: Function) -> None:
        super().__init__(entrant, plan.rules.clock, source=GivenFunction(function))
        self._seatings = len(plan.players)
        self._clock_of_questions_ms = round(1000 * plan.rules.clock.total_seconds())
        self.faults: list[Fault] = []
        self.outcomes: Counter[Outcome] = Counter()

    def decide(self, question: HoldemFields) -> Decided:
        """Return the decision, and note a fault."""
        decided = super().decide(question)
        self.outcomes[decided.outcome] += 1
        if decided.outcome != "ok":
            number = self.place.deck * self._seatings + self.place.seating + 1
            turn = question.values(self._clock_of_questions_ms)
            self.faults.append(Fault(number, decided.outcome, decided.reason or "", turn))
        return decided


def play(
    bot: Function,
    *opponents: Function | str,
    hands: int = 100,
    seed: str = "1",
    rules: Rules = _RULES,
) -> Played:
    """Play hands of No-Limit Hold'em; the same seed deals the same cards.

    `opponents` are styles of the sample players, such as `"tight"`, or functions; without any it is
    `"caller"`. Everybody has the same stack before every hand, and every deck is played once in
    each seat: so `hands` is rounded up to a multiple of the players. `rules` has stack, blinds and
    clock.

    Raises PlayerFailed for an unknown style, MatchSuspended if a function does not return within a
    minute after its clock, and ChipsNotConserved if the chips do not add up.
    """
    others = opponents or ("caller",)
    plan = _plan((bot, *others), hands, seed, rules)
    noted = _Noted(plan.players[0], plan, bot)
    players: list[Player] = [noted]
    for index, other in enumerate(others, start=1):
        entrant = plan.players[index]
        if isinstance(other, str):
            players.append(local_player(plan, index))
        else:
            players.append(FunctionPlayer(entrant, rules.clock, source=GivenFunction(other)))
    block = play_block(plan, 0, players)
    nets = tuple(map(sum, zip(*(deck.net for deck in block.decks), strict=True)))
    return Played(len(block.decks) * len(players), nets, dict(noted.outcomes), tuple(noted.faults))


def _plan(players: tuple[Function | str, ...], hands: int, seed: str, rules: Rules) -> Plan:
    decks = -(-hands // len(players))
    entrants = tuple(
        Entrant(
            name=f"seat {number}",
            player=f"{SCHEME}{who}" if isinstance(who, str) else GivenFunction(who).spec,
        )
        for number, who in enumerate(players, start=1)
    )
    return Plan(
        players=entrants,
        rules=rules,
        deal=Deal(seed=seed, decks=decks, decks_per_block=decks),
    )
