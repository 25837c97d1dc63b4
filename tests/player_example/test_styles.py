"""Sample players answer legally and reproducibly, each with its style."""

from collections import Counter
from collections.abc import Sequence
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
from casino_table.play.holdem_presenter import HoldemPresenter
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


def play_hand(
    seed: str, seats: Sequence[tuple[str, float]], **rules: Any
) -> tuple[HoldemGame, list[tuple[str, ActionRequest, ActionResponse]]]:
    """Play a hand of styles with their stacks; raises if an answer is illegal."""
    table = Table("t1", "C", config(**rules), 1, "texas-holdem", {})
    for number, (_, stack) in enumerate(seats):
        order = seating(number, f"http://p{number}", startingStack=stack)
        table.take_seat(seat_for(table, order)[0])
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
    game.reset(seed)
    hand = HoldemPresenter(table, deal, game)
    decisions = []
    while not game.is_over():
        seat = deal.seat_of(game.get_current_player())
        question = hand.question(seat)
        assert isinstance(question, HoldemQuestion)
        asked = ActionRequest.model_validate_json(question.request(1, timedelta(seconds=1), None))
        style = seats[seat.number][0]
        answer = decide_of(style)(asked)
        action = question.action(answer)  # raises when it is illegal
        result, _ = game.step(action)
        hand.acted(seat.player_id, Decision(action, "ok"), result["events"])
        decisions.append((style, asked, answer))
    return game, decisions


def test_the_players_of_a_casino_play_poker() -> None:
    """Some hands each, most hands are won without a large pot, and hardly one is all-in."""
    came_along: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    hands = 200
    for number in range(hands):
        turn = number % len(DEFAULT_STYLES)
        styles = (*DEFAULT_STYLES[turn:], *DEFAULT_STYLES[:turn])
        game, decisions = play_hand(f"cast {number}", [(style, 200.0) for style in styles])
        first = [one for one in decisions if one[1].betting_round == "preflop"]
        came_along.update({style for style, _, answer in first if answer.amount or is_call(answer)})
        ends["all-in"] += not all(game.hand.stacks) or max(game.hand.contributed) >= 200
        ends["shown"] += bool(game.hand.shown)
    assert ends["all-in"] < hands * 0.08
    assert hands * 0.2 < ends["shown"] < hands * 0.7
    assert min(came_along[style] for style in DEFAULT_STYLES) > hands * 0.08
    assert max(came_along.values()) < hands * 0.6
    assert max(came_along, key=came_along.__getitem__) == "loose"


def is_call(answer: ActionResponse) -> bool:
    return answer.action in {"call", "all-in"}


def test_a_casino_starts_no_saboteur_unasked() -> None:
    assert not set(SABOTEURS) & set(DEFAULT_STYLES)


@pytest.mark.parametrize("style", sorted(STYLES))
class TestEveryStyle:
    @pytest.mark.parametrize("decimals", [False, True])
    def test_every_answer_is_legal(self, style: str, decimals: bool) -> None:  # noqa: FBT001  a case
        """Over whole hands, deep and short, in whole chips or hundredths."""
        rules: dict[str, Any] = {"minBuyIn": 1}
        stacks: tuple[float, ...] = (3, 60, 200, 17)
        if decimals:
            rules |= {"smallBlind": 0.05, "bigBlind": 0.1, "startingStack": 10}
            stacks = (1, 10, 25.05, 3.35)
        for hand_number in range(25):
            seats = [(style, stacks[number % 4]) for number in range(2 + hand_number % 4)]
            play_hand(f"{style} {hand_number}", seats, **rules)

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

    def test_the_aggressive_player_bluffs_and_folds_to_resistance(self) -> None:
        """It bets without a hand, opens more in late position, and gives up when it is raised."""
        board = {"communityCards": [card.model_dump() for card in cards("2h7dJc")]}
        nothing = {"holeCards": [card.model_dump() for card in cards("QsTd")]}
        flop = {"bettingRound": "flop", **board, **nothing, "currentBet": 0, "toCall": 0}
        free = self.actions("aggressive", **flop, legalActions=["check", "bet"], minRaiseTo=2)
        assert free["bet"] > 80 < free["check"]
        raised = [
            {"playerId": "p1", "bettingRound": "flop", "action": action, "amount": amount}
            for action, amount in (("bet", 10), ("raise", 40))
        ]
        fire = {**flop, "history": raised, "currentBet": 40, "toCall": 30, "pot": 80}
        assert self.actions("aggressive", **fire) == {"fold": 300}
        seats = [
            {"playerId": f"p{n}", "displayName": "P", "seatNumber": n, "stack": 200, "bet": 0,
             "status": "active"} for n in range(6)
        ]  # fmt: skip
        hand = {"holeCards": [card.model_dump() for card in cards("8s6s")], "players": seats}
        late = self.actions("aggressive", **hand, seatNumber=3, buttonSeat=3)
        assert late == {"raise": 300}
        assert self.actions("aggressive", **hand, seatNumber=0, buttonSeat=3) == {"fold": 300}

    def test_the_loose_player_comes_along_and_seldom_raises(self) -> None:
        weak = {"holeCards": [card.model_dump() for card in cards("8s5s")]}
        assert self.actions("loose", **weak) == {"call": 300}
        assert self.actions("cautious", **weak) == {"fold": 300}

    def test_the_tricky_player_sets_traps(self) -> None:
        """With a set it checks more often than not, and raises a bet."""
        board = {"communityCards": [card.model_dump() for card in cards("Ah7dJc")]}
        flop = {"bettingRound": "flop", **board, "currentBet": 0, "toCall": 0}
        hand = {"holeCards": [card.model_dump() for card in cards("AsAd")]}
        free = {**flop, **hand, "legalActions": ["check", "bet"], "minRaiseTo": 2}
        assert self.actions("tricky", **free)["check"] > 150
        assert self.actions("cautious", **free) == {"bet": 300}
        bet = {"playerId": "p1", "bettingRound": "flop", "action": "bet", "amount": 10}
        fire = {**flop, **hand, "history": [bet], "currentBet": 10, "toCall": 10, "pot": 30}
        assert self.actions("tricky", **fire, minRaiseTo=20) == {"raise": 300}

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
