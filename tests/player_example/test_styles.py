"""Sample players answer legally and reproducibly, each with its style."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from casino.up.casino_plan import DEFAULT_STYLES
from casino_contracts import ActionRequest, ActionResponse, Card
from casino_games import ArenaConfig, ArenaPlayer
from casino_games.holdem import HoldemGame
from casino_play.holdem_question import HoldemQuestion
from casino_play.turn import Decision
from casino_player_example.style_catalogue import (
    SABOTEURS,
    STYLES,
    decide_of,
)
from casino_player_example.styles.bets import bet_to, pot_sized
from casino_table.domain.admission import seat_for
from casino_table.domain.table import Table
from casino_table.play.running_hand import HoldemPresenter
from support.table.table_side import config, seating


def request(**changes: Any) -> ActionRequest:
    """Return a question of the protocol document, with our fields where they matter."""
    given = {
        "tableId": "t1",
        "bettingRound": "preflop",
        "communityCards": [],
        "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "K", "suit": "spades"}],
        "pot": 3,
        "minimumRaise": 2,
        "currentBet": 2,
        "playerStack": 200,
        "legalActions": ["fold", "call", "raise", "all-in"],
        "requestId": "t1/1:1:1",
        "playerId": "p0",
        "toCall": 2,
        "minRaiseTo": 4,
        "maxRaiseTo": 200,
        **changes,
    }
    return ActionRequest.model_validate(given)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.from_text(text[i : i + 2]) for i in range(0, len(text), 2))


def test_a_casino_starts_no_saboteur_unasked() -> None:
    assert not set(SABOTEURS) & set(DEFAULT_STYLES)


@pytest.mark.parametrize("style", sorted(STYLES))
class TestEveryStyle:
    @pytest.mark.parametrize("decimals", [False, True])
    def test_every_answer_is_legal(self, style: str, decimals: bool) -> None:  # noqa: FBT001  a case
        """Over whole hands, deep and short, in whole chips or hundredths."""
        decide = decide_of(style)
        rules: dict[str, Any] = {"minBuyIn": 1}
        stacks: tuple[float, ...] = (3, 60, 200, 17)
        if decimals:
            rules |= {"smallBlind": 0.05, "bigBlind": 0.1, "startingStack": 10}
            stacks = (1, 10, 25.05, 3.35)
        for hand_number in range(25):
            table = Table("t1", "C", config(**rules), 1, "texas-holdem", {})
            for number in range(2 + hand_number % 4):
                stack = stacks[number % 4]
                table.take_seat(
                    seat_for(table, seating(number, f"http://p{number}", startingStack=stack))[0]
                )
            deal = table.next_deal()
            game = HoldemGame(
                ArenaConfig(
                    tuple(ArenaPlayer(seat.player_id) for seat in deal.seats),
                    game_config={
                        "small_blind": table.stakes.small_blind,
                        "big_blind": table.stakes.big_blind,
                        "stacks": [seat.stack for seat in deal.seats],
                        "button": deal.button,
                    },
                ),
            )
            game.reset(f"{style} {hand_number}")
            hand = HoldemPresenter(table, deal, game)
            while not game.is_over():
                seat = deal.seat_of(game.get_current_player())
                question = hand.question(seat)
                assert isinstance(question, HoldemQuestion)
                content = question.request(1, timedelta(seconds=1), None)
                asked = ActionRequest.model_validate_json(content)
                answer = decide(asked)
                action = question.action(answer)  # raises when it is illegal
                result, _ = game.step(action)
                hand.acted(seat.player_id, Decision(action, "ok"), result["events"])

    def test_the_same_question_gets_the_same_answer(self, style: str) -> None:
        """Seeded sessions repeat because of it."""
        decide = decide_of(style)
        asked = [request(requestId=f"t1/{n}:1:1") for n in range(30)]
        assert [decide(one) for one in asked] == [decide(one) for one in asked]

    def test_the_answer_does_not_depend_on_the_time_left(self, style: str) -> None:
        """A repeated question has less of it."""
        decide = decide_of(style)
        assert decide(request(deadlineMs=9000)) == decide(request(deadlineMs=10))

    def test_the_nine_fields_of_the_document_suffice(self, style: str) -> None:
        """Other fields are optional."""
        given = request().model_dump(
            include={
                "table_id",
                "betting_round",
                "community_cards",
                "hole_cards",
                "pot",
                "minimum_raise",
                "current_bet",
                "player_stack",
                "legal_actions",
            }
        )
        asked = ActionRequest.model_validate({**given, "legalActions": ["fold", "call"]})
        assert decide_of(style)(asked).action in {"fold", "call"}
        assert decide_of(style)(asked) == decide_of(style)(asked)


class TestCharacter:
    """How each style plays."""

    @staticmethod
    def actions(style: str, **changes: Any) -> Counter[str]:
        decide = decide_of(style)
        return Counter(
            decide(request(requestId=f"t1/{n}:1:1", **changes)).action for n in range(300)
        )

    def test_the_caller_calls(self) -> None:
        """It checks if checking is free."""
        assert self.actions("caller") == {"call": 300}
        assert self.actions("caller", legalActions=["check", "bet", "all-in"]) == {"check": 300}

    def test_the_random_player_takes_every_action(self) -> None:
        """Evenly."""
        assert set(self.actions("random")) == {"fold", "call", "raise", "all-in"}
        assert min(self.actions("random").values()) > 50

    def test_the_maniac_raises_most_of_the_time(self) -> None:
        """It never folds."""
        did = self.actions("maniac")
        assert did["raise"] > 150
        assert did["fold"] == 0

    @pytest.mark.parametrize(
        ("hole", "action"), [("AsAh", "raise"), ("7h2c", "fold"), ("AsKs", "raise")]
    )
    def test_the_tight_player_chooses_its_hands(self, hole: str, action: str) -> None:
        """By Chen points."""
        asked = request(holeCards=[card.model_dump() for card in cards(hole)])
        assert decide_of("tight")(asked).action == action

    def test_the_equity_player_gives_up_hopeless_hands_and_raises_made_ones(self) -> None:
        """With private reasoning."""
        board = [card.model_dump() for card in cards("2h7dJcQsKd")]
        after = {"bettingRound": "river", "communityCards": board, "pot": 100, "toCall": 90}
        low = [card.model_dump() for card in cards("3c4c")]
        high = [card.model_dump() for card in cards("AcTc")]
        decide = decide_of("equity")
        assert decide(request(holeCards=low, currentBet=90, **after)).action == "fold"
        answer: ActionResponse = decide(request(holeCards=high, currentBet=90, **after))
        assert answer.action == "raise"
        assert answer.reasoning is not None
        assert answer.message is None


class TestReasoning:
    """The parts of the styles."""

    @pytest.mark.parametrize(("share", "amount"), [(0, 4), (1, 200), (0.5, 102), (0.251, 53)])
    def test_bets_are_totals_within_the_limits(self, share: float, amount: int) -> None:
        """Whole chips where the table has whole chips."""
        answer = bet_to(request(), share=share)
        assert (answer.action, answer.amount) == ("raise", amount)

    def test_limits_follow_from_the_document_s_fields(self) -> None:
        """A table that sends no others is no reason to go all-in."""
        asked = request(minRaiseTo=None, maxRaiseTo=None, toCall=None, playerStack=190)
        assert bet_to(asked, share=0).amount == asked.current_bet + asked.minimum_raise
        assert bet_to(asked, share=1).amount == 190
        assert pot_sized(asked, pots=1).action == "raise"


@pytest.mark.parametrize(
    "changes",
    [
        {"legalActions": ["check", "bet", "all-in"], "minRaiseTo": 2},
        {"legalActions": ["check", "all-in"], "minRaiseTo": None, "maxRaiseTo": None},
        {"legalActions": ["fold", "call", "raise", "all-in"], "currentBet": 2, "minRaiseTo": 4},
        {"legalActions": ["fold", "call"], "minRaiseTo": None, "maxRaiseTo": None},
    ],
)
def test_the_saboteur_illegal_never_answers_legally(changes: dict[str, Any]) -> None:
    """Whatever is legal, and whatever its dice are."""
    for number in range(20):
        asked = request(**changes, requestId=f"t1/{number}:1:1")
        answer = decide_of("illegal")(asked)
        smallest, largest = asked.min_raise_to or 0, asked.max_raise_to or 0
        is_total = answer.amount is not None and smallest <= answer.amount <= largest
        needs_total = answer.action in {"bet", "raise"}
        assert answer.action not in asked.legal_actions or (needs_total and not is_total)
