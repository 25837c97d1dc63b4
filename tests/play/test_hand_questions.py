"""The question as plain values is the table's, in every hand; and nothing hangs on it."""

import gc
import json
import random
from datetime import timedelta
from typing import Any

from casino_contracts import Rejection, TableConfig
from casino_games.cards import NAMES
from casino_games.holdem import Hand
from casino_games.holdem.hand import cards_needed, deal
from casino_games.shuffle import deck_order
from casino_play.hand_questions import HandNames, HandQuestions, NamedPlayer
from casino_play.turn import Decision
from casino_table.domain.seat import HandPositions, Places, Seat
from casino_table.domain.table import Table
from casino_table.play.running_hand import RunningHand

CLOCK = timedelta(seconds=7)
HANDS = 100


class BothHands:
    """The same hand at a table and in this process."""

    def __init__(self, dice: random.Random) -> None:
        count = dice.randint(2, 10)
        numbers = sorted(dice.sample(range(10), count))
        small, ante = dice.choice(((1, 0), (2, 1), (5, 3)))
        stacks = [dice.choice((2, 3, 7, 40, 200, 1000)) for _ in numbers]
        seats = tuple(
            Seat(number, f"player-{number}", f"Ada {number}", "http://a/", "act", stack)
            for number, stack in zip(numbers, stacks, strict=True)
        )
        button = dice.randrange(count)
        deal_number, seed = dice.randint(1, 99), f"seed {dice.random()}"
        config = TableConfig(
            starting_stack=200,
            small_blind=small,
            big_blind=2 * small,
            ante=ante,
            min_buy_in=1,
            max_buy_in=1000,
            max_hands=9,
            max_seats=10,
        )
        table = Table("main", "casino", config, 1, "texas-holdem", {})
        positions = HandPositions(
            deal_number, seats, numbers[button], Places(numbers[(button + 1) % count], numbers[0])
        )
        self.at_table = RunningHand(table, positions, seed)
        order = [(button + 1 + place) % count for place in range(count)]
        holes, board = deal(deck_order(seed, cards_needed(count)), count)
        antes = [ante] * count if ante else ()
        here = [stacks[place] for place in order]
        self.hand = Hand(here, (small, 2 * small), holes, board, antes=antes)
        players = tuple(
            NamedPlayer(seats[place].player_id, seats[place].display_name, numbers[place])
            for place in order
        )
        names = HandNames("main", f"main/{deal_number}", deal_number, players)
        self.fields = HandQuestions(self.hand, names)

    def asked(self, rejected: Rejection | None = None) -> tuple[str, str]:
        """Return the question of the table and that of this process."""
        attempt = 2 if rejected else 1
        question = self.at_table.question(self.at_table.next_seat)
        values = rejected.model_dump(mode="json", by_alias=True) if rejected else None
        own = self.fields.values(7000, attempt, values)
        return json.dumps(json.loads(question.request(attempt, CLOCK, rejected))), json.dumps(own)

    def act(self, dice: random.Random) -> None:
        """Take a random action in both hands, more often than not a check or call."""
        available = self.at_table.game.get_available_actions()
        passive = [offered for offered in available if offered["action_type"] in {"check", "call"}]
        offered = dice.choice(available if dice.random() < 1 / 3 else passive)
        kind = offered["action_type"]
        action: dict[str, Any] = {"action_type": kind}
        if "min" in offered:
            action["amount"] = min(offered["max"], offered["min"] + dice.choice((0, 0, 3, 500)))
        self.at_table.act(Decision(action, "ok"))
        if kind in {"bet", "raise"}:
            self.hand.raise_to(action["amount"])
        else:
            getattr(self.hand, kind.replace("-", "_"))()


def test_the_question_is_that_of_a_table() -> None:
    """In hands of 2 to 10 seats, with antes and short stacks; some are of a second attempt.

    In every second hand most questions are left out, and the others are the same all the same.
    """
    dice = random.Random(18)
    questions = streets = 0
    for number in range(2 * HANDS):
        both = BothHands(dice)
        while not both.hand.is_over:
            if number % 2 and dice.random() < 3 / 4:
                both.act(dice)
                continue
            rejected = None
            if dice.random() < 1 / 4:
                rejected = Rejection(reason="illegal", message="no", answer={"action": "bet"})
            at_table, here = both.asked(rejected)
            assert here == at_table
            questions += 1
            streets |= 1 << both.hand.street
            both.act(dice)
        assert both.at_table.is_over
    assert questions > 5 * HANDS
    assert streets == 0b1111


def test_a_changed_question_changes_no_other() -> None:
    """Each call returns values of its own, all the way down."""
    both = _with_history()
    before = json.dumps(both.fields.values(1))
    spoilt = both.fields.values(1)
    for part in (*spoilt["players"], *spoilt["history"], *spoilt["communityCards"]):
        part.clear()
    for part in (spoilt["players"], spoilt["history"], spoilt["holeCards"], spoilt["legalActions"]):
        part.clear()
    assert json.dumps(both.fields.values(1)) == before


def test_no_card_can_be_reached_from_a_question() -> None:
    """Only JSON values hang on it, and of the cards only the player's own and the board."""
    both = _with_history()
    hand = both.hand
    reached: list[object] = [both.fields.values(1)]
    seen: set[int] = set()
    cards = set()
    while reached:
        item = reached.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        assert type(item) in {dict, list, str, int, type(None)}, type(item)
        if isinstance(item, dict) and "suit" in item:
            cards.add(item["rank"] + item["suit"][0])
        reached += gc.get_referents(item)
    own = {*hand.hole_of(hand.actor), *hand.board}
    assert cards == {NAMES[card] for card in own}


def _with_history() -> BothHands:
    dice = random.Random(3)
    while True:
        both = BothHands(dice)
        while not both.hand.is_over:
            if both.hand.street == 2 and len(both.hand.actions) > 6:
                return both
            both.act(dice)
