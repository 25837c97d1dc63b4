"""The opponents: each decides from a question alone, with dice that are passed in.

`equilibrium` plays a Nash equilibrium of Kuhn or Leduc poker. `tools/equilibria.py` computes
`equilibria.json` on the rules of `casino_games` with the default sizes of the bets and writes it;
the tests compute how much it can lose.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Protocol

import numpy as np
from casino_games import offers as legal
from casino_games.cards import Card, card_from_text
from casino_games.holdem.odds import equity
from casino_games.holdem.ranking import chen_points

Json = dict[str, Any]


class Decide(Protocol):
    """Chooses one of the offers; pure, and fast enough to be called beside the event loop."""

    def __call__(self, state: Json, offers: tuple[Json, ...], dice: Random, /) -> Json:
        """Return an offered action; `state` has the opponent's own `public`, `private`."""
        ...


Offers = tuple[Json, ...]


def first_of(offers: Offers, *kinds: str) -> Json:
    """Return the least action of the first kind that is offered; raises ValueError for none."""
    for kind in kinds:
        for offer in offers:
            if offer["action_type"].lower() == kind:
                return legal.least_of(offer)
    raise ValueError(f"none of {', '.join(kinds)} is offered")


def check_or_call(offers: Offers) -> Json:
    return first_of(offers, "check", "call", "all-in")


def check_or_fold(offers: Offers) -> Json:
    return first_of(offers, "check", "fold")


def raise_to(offers: Offers, total: int) -> Json:
    """Bet or raise to a total, kept between the legal ones.

    Without a legal raise: all-in if that is offered and more than a call, otherwise call.
    """
    for offer in offers:
        if legal.has_range(offer):
            amount = min(max(total, offer["min"]), offer["max"])
            return {**legal.least_of(offer), "amount": amount}
    return first_of(offers, "all-in", "check", "call")


_FEW = 16
"""A range of at most so many amounts is drawn from evenly."""
_POTS = (0.0, 0.5, 1.0)
"""Sizes of a bet or raise in poker, in pots."""


def random_choice(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Draw an offer, and where it has a range one of its amounts.

    All-in is a size of a bet or raise and no offer beside it: it is drawn where no other size is
    legal, and where the pot is larger than the stack.
    """
    with_amount = any(map(legal.has_range, offers))
    drawn = dice.choice(
        [offer for offer in offers if not (with_amount and offer["action_type"] == "all-in")]
    )
    answer = legal.least_of(drawn)
    if legal.has_range(drawn):
        answer["amount"] = dice.choice(drawn_amounts(drawn["min"], drawn["max"], state["public"]))
    return answer


def drawn_amounts(least: int, most: int, public: Json) -> list[int]:
    """Return the amounts that are drawn from, each between the legal ones.

    All amounts of a short range; of a long one the smallest, half a pot and a pot where the game
    has one, and otherwise each twice the last, and the largest.
    """
    if most - least < _FEW:
        return list(range(least, most + 1))
    if "current_bet" in public:
        pot = public["pot"]
        totals = [public["current_bet"] + round(pots * pot) for pots in _POTS]
        return [min(max(total, least), most) for total in totals]
    grid = []
    amount = max(least, 1)
    while amount < most:
        grid.append(amount)
        amount *= 2
    return [*grid, most]


def caller(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Check if that is free, otherwise call."""
    del state, dice
    return check_or_call(offers)


def highest(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    del state, dice
    return max(offers, key=_card)


def saver(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Lead with the highest card; otherwise win as cheaply as possible, or play the lowest card.

    A card as high as the one on the table keeps the other player from a point.
    """
    on_table = state["public"]["on_table"]
    if not on_table:
        return highest(state, offers, dice)
    best = max(played["card"] for played in on_table)
    winning = [offer for offer in offers if offer["card"] > best]
    equal = [offer for offer in offers if offer["card"] == best]
    return min(winning or equal or offers, key=_card)


def _card(offer: Json) -> int:
    card: int = offer["card"]
    return card


_TRIALS = 500
_RAISES = {"bet", "raise", "all-in"}


@dataclass(frozen=True, slots=True)
class HoldemView:
    """Cards and chips at one decision of a player; amounts in chips."""

    hole_cards: list[Card] = field(repr=False)
    board: list[Card]
    pot: int
    """All chips put in."""
    current_bet: int
    """The total to match in this betting round."""
    to_call: int
    stack: int
    raises: int
    """Bets and raises of the other player in this betting round."""

    @classmethod
    def of(cls, state: Json) -> "HoldemView":
        public = state["public"]
        own_id = public["current_player"]
        own = next(player for player in public["players"] if player["player_id"] == own_id)
        raises = sum(
            past["action"] in _RAISES
            for past in public["history"]
            if past["betting_round"] == public["betting_round"] and past["player_id"] != own_id
        )
        return cls(
            hole_cards=list(map(card_from_text, state["private"]["hole_cards"])),
            board=list(map(card_from_text, public["community_cards"])),
            pot=public["pot"],
            current_bet=public["current_bet"],
            to_call=min(public["current_bet"] - own["bet"], own["stack"]),
            stack=own["stack"],
            raises=raises,
        )

    @property
    def price(self) -> float:
        """The equity that a call needs to break even; 0 if checking is free."""
        return self.to_call / (self.pot + self.to_call) if self.to_call else 0.0

    def total_after(self, pots: float) -> int:
        """Return the total of a raise by `pots` times the pot after a call."""
        return self.current_bet + round(pots * (self.pot + self.to_call))

    def equity(self, dice: Random) -> float:
        """Return the share of the pot that these cards win against a random hand."""
        generator = np.random.default_rng(dice.getrandbits(64))
        return equity(self.hole_cards, self.board, 1, generator, _TRIALS)


_CALL_FROM, _RAISE_FROM, _PREMIUM = 7.0, 9.0, 12.0
"""Chen points of a hand worth a call, a raise, a raise against a raise."""
_STRONG, _FAIR = 0.75, 0.65
"""Equity worth a bet, and a call."""


def tight(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Choose starting hands by Chen points; later bet strong hands and give up weak ones."""
    view = HoldemView.of(state)
    if not view.board:
        return _preflop(view, offers)
    share = view.equity(dice)
    if share > _STRONG + 0.08 * view.raises:
        return raise_to(offers, view.total_after(0.66))
    return check_or_call(offers) if share > max(_FAIR, view.price) else check_or_fold(offers)


def _preflop(view: HoldemView, offers: tuple[Json, ...]) -> Json:
    points = chen_points(view.hole_cards)
    if points >= (_PREMIUM if view.raises else _RAISE_FROM):
        return raise_to(offers, view.total_after(1))
    return check_or_call(offers) if points >= _CALL_FROM + view.raises else check_or_fold(offers)


_BET_FROM = 0.57
_MORE_FOR_A_RAISE = 0.22
"""What each bet of the other player adds to the equity that a raise needs."""
_MORE_FOR_A_CALL, _ALWAYS_CALL_FROM = 2.0, 0.7
"""Who bets has a better hand than a random one: a call of a bet needs twice the price, up to 0.7"""
_BLUFF_BELOW, _BLUFFS = 0.35, 0.4


def by_equity(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Bet and raise the better hands, call at a good price, bluff some of the weak hands."""
    view = HoldemView.of(state)
    share, bluffs = view.equity(dice), dice.random() < _BLUFFS
    if share > _BET_FROM + _MORE_FOR_A_RAISE * view.raises:
        return raise_to(offers, view.total_after(0.75))
    if not view.to_call and share < _BLUFF_BELOW and bluffs:
        return raise_to(offers, view.total_after(0.5))
    needed = view.price
    if view.raises:
        needed = min(_MORE_FOR_A_CALL * needed, _ALWAYS_CALL_FROM)
    return check_or_call(offers) if share > needed else check_or_fold(offers)


Strategy = dict[str, dict[str, float]]
"""For each situation the probability of each action, without those that are never taken."""

_FILE = "equilibria.json"
_LETTERS = {"CHECK": "k", "BET": "b", "CALL": "c", "RAISE": "r", "FOLD": "f"}


def equilibrium(state: Json, offers: tuple[Json, ...], dice: Random) -> Json:
    """Draw one of the offers with the probabilities of the equilibrium.

    A player who cannot pay a bet is not offered it; the others are drawn in their proportion then,
    and without a proportion the last one, which is the check or the call.
    """
    probabilities = strategy_of(state["public"]["game_type"])[situation(state)]
    weights = [probabilities.get(offer["action_type"], 0.0) for offer in offers]
    if not any(weights):
        return offers[-1]
    return dice.choices(offers, weights)[0]


def situation(state: Json) -> str:
    """Return all that counts of what the player may know, such as `KQ.kbc.b`.

    It is the rank of the own card, that of the public card if there is one, and the actions of
    each betting round.
    """
    public, own = state["public"], state["private"]["card"]
    rounds = [""] * public["betting_round"]
    for past in public["history"]:
        rounds[past["betting_round"] - 1] += _LETTERS[past["action"]]
    shared = public["public_card"] or ""
    return ".".join((own[0] + shared[:1], *rounds))


@cache
def strategy_of(game_type: str) -> Strategy:
    """Return the strategy for one game; raises KeyError for games without one."""
    text = files("casino_evaluator").joinpath(_FILE).read_text(encoding="utf-8")
    strategy: Strategy = json.loads(text)[game_type]["strategy"]
    return strategy


CATALOGUE: Mapping[str, Decide] = {
    "random": random_choice,
    "caller": caller,
    "tight": tight,
    "equity": by_equity,
    "equilibrium": equilibrium,
    "highest": highest,
    "saver": saver,
}
"""By the names of `domain.levels.OPPONENTS`; `dealer` has none, because nobody sits there."""
