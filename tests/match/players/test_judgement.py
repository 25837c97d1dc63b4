"""The short way to a verdict never disagrees with the table's."""

import random
from typing import Any

from casino_agentkit import Malformed
from casino_games.holdem import Hand
from casino_match.domain.decks import deck_of
from casino_match.domain.plan import Rules
from casino_match.play.hand import apply, deal_hand
from casino_match.players.judgement import choice, plain_choice, read_answer
from casino_play.errors import IllegalAnswer

KINDS = ("fold", "check", "call", "bet", "raise", "all-in", "dance", "", "Call", None, 3, ["call"])


class Text(str):
    __slots__ = ()


class Same:
    """A key that equals the text `action`, and is no JSON."""

    def __hash__(self) -> int:
        return hash("action")

    def __eq__(self, other: object) -> bool:
        return other == "action"


def answers(hand: Hand, dice: random.Random) -> Any:
    """Return a random answer: legal, illegal or malformed."""
    amounts = (
        hand.min_raise_to,
        hand.max_raise_to,
        hand.min_raise_to - 1,
        hand.max_raise_to + 1,
        float(hand.min_raise_to),
        hand.min_raise_to + 0.5,
        0,
        -1,
        True,
        None,
        "8",
        2**53,
        2**80,
        float("inf"),
    )
    answer: dict[Any, Any] = {"action": dice.choice(KINDS)}
    if dice.random() < 2 / 3:
        answer["amount"] = dice.choice(amounts)
    if dice.random() < 1 / 8:
        answer[dice.choice(("message", "away", "reasoning", "other"))] = dice.choice(
            ("text", 1, True, None, object(), "\ud800")
        )
    if dice.random() < 1 / 20:
        return dice.choice((None, "call", [answer], {"result": answer}, 7, {}))
    if dice.random() < 1 / 20:
        key = dice.choice((Same(), Text("action")))
        return {key: answer.pop("action"), **answer}
    return answer


def full_verdict(answer: Any, hand: Hand) -> tuple[str, int] | str:
    """Return the choice as a table takes it, or why it takes none."""
    try:
        response = read_answer(answer)
        return "away" if response.away else choice(response, hand)
    except Malformed:
        return "malformed"
    except IllegalAnswer:
        return "illegal"


def test_a_plain_choice_is_the_table_s() -> None:
    """In thousands of random situations and answers; most legal ones are plain."""
    dice = random.Random(7)
    plain = legal = 0
    for deck in range(250):
        seats = dice.choice((2, 2, 3, 6))
        rules = Rules(stack=dice.choice((3, 20, 200)), ante=dice.choice((0, 1)))
        hand = deal_hand(rules, deck_of("a", deck, seats), seats)
        while not hand.is_over:
            for _ in range(6):
                answer = answers(hand, dice)
                verdict = full_verdict(answer, hand)
                short = plain_choice(answer, hand)
                assert short is None or short == verdict, answer
                plain += short is not None
                legal += isinstance(verdict, tuple)
            totals = (hand.min_raise_to, hand.max_raise_to) if hand.max_raise_to else ()
            if totals and dice.random() < 1 / 4:
                hand.raise_to(dice.choice(totals))
            else:
                apply(hand, "call" if hand.to_call else "check", 0)
    assert plain > 1000
    assert plain > 0.7 * legal
