"""The prompt of a decision in Hold'em, as short as it can be: opponents, hand, offers. Pure.

Players are named by their positions, so that no text of others reaches the model. What changes
least comes first, for providers that keep the beginnings of prompts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Annotated, Final, get_args

import orjson
from casino_contracts import HOLDEM, GameActionRequest
from casino_contracts.play_counts import positions
from casino_games.game import Chips
from casino_games.holdem.events import ROUNDS
from casino_games.holdem.hand import BOARD_SIZE
from casino_games.holdem.spec import Decision, HoldemPublic, HoldemState, Word
from casino_games.registry import state_adapter
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from casino_player_example.opponent_memory import SeenOpponent, in_dealt_order

_LEGEND: Final = """\
bb are big blinds. A size is what the player then has in for the betting round.
Opponents: VPIP and PFR in % of the hands; 3-bets, c-bets, showdowns (of seen flops) and won ones \
as counts of their chances; AF: bets and raises to calls after the flop; the usual raise before \
the flop, and bet after it; the last hands shown."""
_MOST_TOLD: Final = 200
"""Number of decisions of a betting round that are told, the newest."""
_CHIPS_DECIMALS: Final = 2


class _Offer(BaseModel):
    """An available action of Hold'em; a bet or raise has its limits."""

    model_config = ConfigDict(strict=True, extra="forbid")

    action_type: Word
    min: Chips | None = None
    max: Chips | None = None


_OFFERS: Final = TypeAdapter(Annotated[list[_Offer], Field(max_length=len(get_args(Word)))])


def holdem_prompt(
    request: GameActionRequest, opponents: Mapping[str, SeenOpponent]
) -> tuple[str, str] | None:
    """Return system prompt and turn; None for other games and for a state that is not legible.

    `opponents` are what the player knows of the others, by player id.
    """
    if request.game_type != HOLDEM:
        return None
    try:
        state = HoldemState.model_validate_json(orjson.dumps(request.state), extra="ignore")
        offers = _OFFERS.validate_python(list(request.available_actions))
        told = _ToldHand(state.public, request.player_id)
        lines = [*told.opponents(opponents), *told.course(state.private.hole_cards)]
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None  # of another version, or from somebody who is no table
    lines += [f"You may (amounts in chips, 1bb = {state.public.big_blind}):"]
    lines += [json.dumps(offer.model_dump(exclude_none=True)) for offer in offers]
    system = state_adapter(HOLDEM).format_system_prompt(role="player")
    return f"{system}\n{_LEGEND}", "\n".join(lines)


class _ToldHand:
    """A running hand in words, as one of its players sees it.

    Raises LookupError or ValueError where the state contradicts itself.
    """

    def __init__(self, public: HoldemPublic, player_id: str) -> None:
        order = in_dealt_order(public)
        names = positions(len(order), has_small_blind=public.small_blind > 0)
        self._public = public
        self._names = dict(zip(order, names, strict=True))
        self._players = {player.player_id: player for player in public.players}
        self._live = [name for name in order if self._players[name].status != "folded"]
        self._me = player_id

    def opponents(self, known: Mapping[str, SeenOpponent]) -> Iterator[str]:
        """Yield a line for each opponent who is still in, and of whom a hand was seen."""
        for other in self._live:
            if other != self._me and other in known:
                yield f"{self._names[other]}: {_conduct(known[other])}"

    def course(self, hole_cards: Sequence[str]) -> Iterator[str]:
        """Yield the setting, a line for each betting round so far, and what it costs to stay."""
        public, me = self._public, self._players[self._me]
        ante = f", ante {self._bb(public.ante)}" if public.ante else ""
        small = self._bb(public.small_blind) if public.small_blind else "dead"
        yield (
            f"{len(self._names)} players, small blind {small}{ante}."
            f" You: {self._names[self._me]}, {' '.join(hole_cards)}"
        )
        yield "Stacks: " + ", ".join(
            f"{self._names[name]} {self._bb(self._players[name].stack)}" for name in self._live
        )
        yield from self._rounds()
        to_call = min(max(0, public.current_bet - me.bet), me.stack)
        yield (
            f"Pot {self._bb(public.pot)} ({public.pot} chips), to call {self._bb(to_call)}"
            f" ({to_call} chips), your stack {me.stack} chips"
        )

    def _rounds(self) -> Iterator[str]:
        public, last = self._public, ROUNDS.index(self._public.betting_round)
        by_round: list[list[Decision]] = [[] for _ in ROUNDS]
        for decision in public.history:
            by_round[ROUNDS.index(decision.betting_round)].append(decision)
        pots = [public.pot - _put_in(by_round[last])]  # at the beginning of each, the newest first
        for decisions in reversed(by_round[:last]):
            pots.append(pots[-1] - _put_in(decisions))
        for number, pot in zip(range(last + 1), reversed(pots), strict=True):
            said = ROUNDS[number].capitalize()
            if number:
                dealt = public.community_cards[BOARD_SIZE[number - 1] : BOARD_SIZE[number]]
                said += f" {' '.join(dealt)} (pot {self._bb(pot)})"
            decisions = by_round[number][-_MOST_TOLD:]
            yield said + ": " + (", ".join(map(self._decision, decisions)) or "you are the first")

    def _decision(self, decision: Decision) -> str:
        size = "" if decision.amount is None else f" {self._bb(decision.amount)}"
        return f"{self._names[decision.player_id]} {decision.action}{size}"

    def _bb(self, chips: int) -> str:
        return f"{round(chips / self._public.big_blind, _CHIPS_DECIMALS):g}bb"


def _put_in(decisions: Sequence[Decision]) -> int:
    """Return the chips of a betting round, without blinds of players who did not add to them."""
    totals = {
        decision.player_id: decision.amount for decision in decisions if decision.amount is not None
    }
    return sum(totals.values())


def _conduct(opponent: SeenOpponent) -> str:
    counts = opponent.counts
    shares = [("VPIP", counts.vpip, counts.vpip_of), ("PFR", counts.pfr, counts.pfr_of)]
    rates = [
        ("3-bet", counts.three_bet, counts.three_bet_of),
        ("c-bet", counts.c_bet, counts.c_bet_of),
        ("showdowns", counts.showdowns, counts.saw_flop),
        ("won", counts.showdowns_won, counts.showdowns),
    ]
    said = [f"{opponent.hands} hands"]
    said += [f"{name} {100 * count / of:.0f}" for name, count, of in shares if of]
    said += [f"{name} {count}/{of}" for name, count, of in rates if of]
    if counts.aggressive or counts.calls:
        said.append(f"AF {counts.aggressive}/{counts.calls}")
    if opponent.raises:
        said.append(f"raises {median(opponent.raises):.3g}bb")
    if opponent.bets:
        said.append(f"bets {100 * median(opponent.bets):.0f}% pot")
    said += [f"showed {cards} {'won' if won else 'lost'}" for cards, won in opponent.shown]
    return ", ".join(said)
