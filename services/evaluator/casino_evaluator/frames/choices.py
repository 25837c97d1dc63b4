"""What the candidate may do: the offers of a moment as actions with numbers and labels.

| number | poker | blackjack | any offer |
| --- | --- | --- | --- |
| 1 | fold | stand; pass | |
| 2 | check, call | hit | |
| 3 | bet, raise (the minimum) | double; the minimum bet | the least amount of the only range |
| 4 | a bet or raise of the pot | split; the middle bet | its middle |
| 5 | all-in | the maximum bet | its largest |

The other offers, such as the cards of simple card, take the free numbers in their order; those
beyond the fifth have a button only.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from casino_gamespec.choice import answer, kind_of, range_of

from casino_evaluator.domain.evaluation_session import Moment
from casino_evaluator.frames.scenes import public_of
from casino_evaluator.frames.state_values import by_player, text, whole

Json = dict[str, Any]

LEAST, MIDDLE, MOST = 3, 4, 5
_NUMBERS = range(1, 6)
_MOST_WITHOUT_NUMBER = 128 - len(_NUMBERS)
"""The strip has no more than 128 buttons."""
_NUMBER_BY_KIND: Mapping[str, int] = {
    "fold": 1,
    "pass": 1,
    "stand": 1,
    "check": 2,
    "call": 2,
    "hit": 2,
    "bet": 3,
    "raise": 3,
    "double": 3,
    "split": 4,
    "all_in": 5,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One action that the candidate may take."""

    number: int | None
    """1 to 5; None: by a click only."""
    action: Json
    kind: str
    """The type of the action, in lower case."""
    label: str
    """For people: type, parameters and chips."""
    word: str
    """What the button says, if there is room for it."""
    chips: int | None = None
    """What a call adds or an amount comes to, where that is known."""


@dataclass(frozen=True, slots=True)
class Range:
    """The only offer with an amount to choose."""

    offer: Json
    least: int
    most: int

    def action(self, amount: int) -> Json:
        """Return the action with an amount, or with the nearest legal one."""
        return answer(self.offer, min(self.most, max(self.least, amount)))


def range_in(offers: Iterable[Json]) -> Range | None:
    ranges = [(offer, limits) for offer in offers if (limits := range_of(offer))]
    if len(ranges) != 1:
        return None
    offer, (least, most) = ranges[0]
    return Range(offer, least, most)


def choices_of(moment: Moment) -> tuple[Choice, ...]:
    """Return all choices: those with numbers first, by number, then the others."""
    public = public_of(moment)
    chosen = range_in(moment.offers)
    by_number: dict[int, Choice] = {}
    for offer in moment.offers:
        number = _NUMBER_BY_KIND.get(kind_of(offer))
        if number is not None and number not in by_number and range_of(offer) is None:
            by_number[number] = _choice(number, offer, moment, public)
    if chosen:
        for number, amount, word in _amounts(chosen, moment, public):
            if number not in by_number:
                by_number[number] = _ranged(number, chosen, amount, word)
    taken = [choice.action for choice in by_number.values()]
    rest: list[Choice] = []
    for offer in moment.offers:
        if len(rest) == _MOST_WITHOUT_NUMBER:
            break
        if (chosen and offer is chosen.offer) or answer(offer) in taken:
            continue
        free = next((number for number in _NUMBERS if number not in by_number), None)
        choice = _choice(free, offer, moment, public)
        if free is None:
            rest.append(choice)
        else:
            by_number[free] = choice
    return (*(by_number[number] for number in sorted(by_number)), *rest)


def _amounts(chosen: Range, moment: Moment, public: Json) -> list[tuple[int, int, str]]:
    """Return number, amount and word for the least, the middle and the largest amount."""
    pot = _pot_sized(moment, public)
    middle = (chosen.least + chosen.most) // 2 if pot is None else pot
    return [
        (LEAST, chosen.least, "min"),
        (MIDDLE, min(chosen.most, max(chosen.least, middle)), "mid" if pot is None else "pot"),
        (MOST, chosen.most, "max"),
    ][: 1 if chosen.least == chosen.most else None]


def _pot_sized(moment: Moment, public: Json) -> int | None:
    """Return the total to which a raise of the pot comes: the pot after a call, on top of it."""
    pot, price = whole(public.get("pot")), whole(public.get("current_bet"))
    own = whole(by_player(public.get("players"), moment.player_id).get("bet"))
    if pot is None or price is None or own is None:
        return None
    return price + pot + max(0, price - own)


def _ranged(number: int, chosen: Range, amount: int, word: str) -> Choice:
    kind = text(chosen.offer.get("action_type")).lower()
    action = chosen.action(amount)
    return Choice(
        number, action, kind_of(action), f"{_described(kind, action)} ({word})", word, amount
    )


def _choice(number: int | None, offer: Json, moment: Moment, public: Json) -> Choice:
    action = answer(offer)
    kind = text(offer.get("action_type")).lower()
    parameters = [text(value) for key, value in action.items() if key != "action_type"]
    chips = _chips(kind_of(offer), action, moment, public)
    label = _described(kind, action)
    if chips is not None and "amount" not in action:
        label += f" {chips}"
    return Choice(
        number, action, kind_of(offer), label, parameters[0] if parameters else kind, chips
    )


def _described(kind: str, action: Json) -> str:
    parameters = [text(value) for key, value in action.items() if key != "action_type"]
    return " ".join(filter(None, [kind, *parameters]))


def _chips(kind: str, action: Json, moment: Moment, public: Json) -> int | None:
    player = by_player(public.get("players"), moment.player_id)
    stack, bet = whole(player.get("stack")), whole(player.get("bet"))
    price = whole(public.get("current_bet"))
    match kind:
        case "call" if price is not None and bet is not None and stack is not None:
            return min(stack, price - bet)
        case "call":
            return whole(public.get("to_call"))
        case "all_in" if bet is not None and stack is not None:
            return stack + bet
    return whole(action.get("amount"))
