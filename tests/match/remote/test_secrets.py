"""What an agent is asked is a table's question, with its own cards and nobody else's."""

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from casino_agentkit import HttpReply
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    GameActionResponse,
    Rejection,
    TableConfig,
)
from casino_games.cards import NAMES
from casino_games.holdem.hand import cards_needed, deal
from casino_games.shuffle import deck_order
from casino_match.domain.block import block_to_json
from casino_match.domain.plan import Plan, Rules, deck_of
from casino_match.play.match_hand import deal_hand
from casino_match.play.remote_block import RemoteTables, match_with_agents
from casino_match.players.match_player import HandPlace
from casino_match.players.remote_player import any_game_question
from casino_play.errors import IllegalAnswer
from casino_play.hand_questions import HandNames, HandQuestions, NamedPlayer
from casino_play.holdem_question import HoldemQuestion
from casino_play.turn import Decision, Question
from casino_player_example.holdem_agent import player_agent
from casino_table.domain.seat import HandPositions, Places, Seat
from casino_table.domain.table import Table
from casino_table.play.running_hand import RunningHand
from support.direct import DirectTransport
from support.match.agent_side import SECRET, MatchSide, by_cards, card_url, plan_of
from support.players.any_player import AnyPlayer
from support.table.table_side import InProcessNetwork, Player
from support.table.virtual_clock import VirtualClock


class Recording(DirectTransport):
    """Keeps the bodies of all calls, and the names of the agents that got them."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[bytes]] = defaultdict(list)

    async def send(
        self, method: str, url: str, headers: Any, body: bytes, timeout_s: float
    ) -> HttpReply:
        self.sent[url.split("/")[2]].append(body)
        return await super().send(method, url, headers, body, timeout_s)


def places(plan: Plan) -> dict[str, HandPlace]:
    """Return where each hand of a plan's first block is, by the hand's id."""
    tables = RemoteTables(plan, runs_code=False)
    return {
        names.hand_id: place
        for table in range(len(tables.ids))
        for place, names in tables.hands(0, table)
    }


def cards_in(value: Any) -> set[str]:
    """Return every card in a JSON value, in either notation."""
    if isinstance(value, dict):
        if set(value) == {"rank", "suit"}:
            return {value["rank"] + value["suit"][0]}
        return set().union(*map(cards_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(cards_in, value))
    return {value} & set(NAMES) if isinstance(value, str) else set()


def data_in(body: bytes) -> list[dict[str, Any]]:
    """Return the questions in a call."""
    parts = json.loads(body)["params"]["message"]["parts"] if body else []
    return [part["data"] for part in parts if "handId" in part.get("data", ())]


@pytest.mark.parametrize("rival", [Player("b", by_cards), AnyPlayer("b")])
async def test_no_byte_that_is_sent_holds_another_ones_cards(rival: Player | AnyPlayer) -> None:
    """Of all calls, by the deck that was dealt: own cards and the board so far, whole."""
    plan = plan_of("a", "b", decks=12)
    transport = Recording()
    network = InProcessNetwork(transport)
    for player in (Player("a", by_cards), rival):
        network.add(player.name, player.agent())
    match = await match_with_agents(plan, network.client(), clock=VirtualClock(), secret=SECRET)
    await match.play(0)
    hands = places(plan)
    boards = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}
    seen = 0
    for agent, bodies in transport.sent.items():
        assert not [body for body in bodies if plan.deal.seed.encode() in body]
        for question in [one for body in bodies for one in data_in(body)]:
            place = hands[question["handId"]]
            holes, board = deal(deck_of(plan.deal.seed, place.deck, 2), 2)
            of_player = 0 if agent == "a" else 1
            hole = holes[of_player if place.seating == 0 else 1 - of_player]
            state = question.get("state", {}).get("public", {})
            shown = boards[question.get("bettingRound") or state["betting_round"]]
            assert cards_in(question) == {NAMES[card] for card in (*hole, *board[:shown])}
            seen += 1
    assert seen > 40


async def test_ids_do_not_tell_which_deck_is_played() -> None:
    """The hands of a deck are at different tables, under different numbers."""
    plan = plan_of("a", "b", decks=50)
    numbers: dict[int, set[int]] = defaultdict(set)
    tables: dict[int, set[str]] = defaultdict(set)
    for hand_id, place in places(plan).items():
        table, number = hand_id.split("/")
        numbers[place.deck].add(int(number))
        tables[place.deck].add(table)
    assert sum(len(of_deck) == 2 for of_deck in numbers.values()) > 40
    assert all(len(of_deck) == 2 for of_deck in tables.values())
    order = [place.deck for _, place in sorted(places(plan).items())]
    assert order != sorted(order)


async def test_nobody_else_gets_an_answer_that_the_match_got() -> None:
    """Without its token, or with one of another table or player, the agent decides anew."""
    side = MatchSide(Player("b", by_cards))
    answered: list[ActionRequest] = []

    def decide(request: ActionRequest) -> ActionResponse:
        answered.append(request)
        return by_cards(request)

    side.serve("a", player_agent("a", "Plays.", decide))
    rival = Player("c", by_cards)
    side.serve("c", rival.agent())
    plan = plan_of("a", "c")
    block = await (await side.match(plan)).play(0)
    assert set(block.conduct[0].outcomes) == {"ok"}
    count = len(answered)
    other = await side.network.client().resolve(card_url("a"), timeout=timedelta(seconds=1))
    asked = ActionRequest.model_validate_json(msgspec.json.encode(answered[0]))
    stolen = [invited.seat_token for invited in rival.invited]
    assert all(stolen)
    tokens = (None, "guessed", *stolen)
    for token in tokens:
        await other.call("act", asked, ActionResponse, timeout=timedelta(seconds=1), token=token)
    assert len(answered) == count + len(set(tokens))


async def test_tokens_are_in_no_result_and_in_no_text() -> None:
    """Neither in blocks, nor in what is printed of a player, nor in errors."""
    player = Player("a", by_cards)
    side = MatchSide(player, Player("b", by_cards))
    match = await side.match(plan_of("a", "b"))
    block = block_to_json(await match.play(0)).decode()
    tokens = [invited.seat_token or "" for invited in player.invited]
    assert all(len(token) == 64 for token in tokens)
    texts = [block, repr(vars(match)), repr([vars(one) for one in match._remote.values()])]
    assert not [token for token in tokens for text in texts if token in text]


LEFT = timedelta(seconds=7)
NO = Rejection(reason="illegal", message="no", answer={"action": "bet"})
KINDS = ("fold", "check", "call", "bet", "raise", "all-in")


def questions(
    dice: random.Random, *, any_game: bool
) -> Iterator[tuple[Question[Any], Question[Any]]]:
    """Play a random hand at a table and in a match; yield both questions of each decision."""
    count, ante = dice.randint(2, 8), dice.choice((0, 1))
    rules = Rules(small_blind=1, big_blind=2, ante=ante, stack=dice.choice((4, 30, 200)))
    seed = f"seed {dice.random()}"
    config = TableConfig(
        starting_stack=200,
        small_blind=1,
        big_blind=2,
        ante=ante,
        min_buy_in=1,
        max_buy_in=200,
        max_hands=9,
        max_seats=10,
    )
    seats = tuple(
        Seat(number, f"player-{number}", f"P {number}", "http://a/", "act", rules.stack)
        for number in range(count)
    )
    for seat in seats:
        seat.plays_any_game = any_game
    table = Table("main", "casino", config, 1, "texas-holdem", {})
    at_table = RunningHand(table, HandPositions(3, seats, count - 1, Places(0, 1)), seed)
    deck = deck_order(seed, cards_needed(count))
    hand = deal_hand(rules, deck, count)
    players = tuple(NamedPlayer(seat.player_id, seat.display_name, seat.number) for seat in seats)
    fields = HandQuestions(hand, HandNames("main", "main/3", 3, players))
    while not hand.is_over:
        own: Question[Any] = (
            any_game_question(fields, rules, deck) if any_game else HoldemQuestion(fields)
        )
        yield at_table.question(at_table.next_seat), own
        offered = dice.choice(at_table.game.get_available_actions())
        kind = offered["action_type"]
        if kind in {"bet", "raise"}:
            at_table.act(Decision({"action_type": kind, "amount": offered["min"]}, "ok"))
            hand.raise_to(offered["min"])
        else:
            at_table.act(Decision({"action_type": kind}, "ok"))
            getattr(hand, kind.replace("-", "_"))()


@pytest.mark.parametrize("profile", ["typed", "invoke", "any game"])
def test_questions_and_verdicts_are_those_of_a_table(profile: str) -> None:
    """In hands of 2 to 8 seats, with antes and short stacks, at both attempts."""
    dice = random.Random(profile)
    compared = 0
    for _ in range(25):
        for of_table, own in questions(dice, any_game=profile == "any game"):
            if profile == "invoke":
                posed, here = of_table.for_invoke_profile(), own.for_invoke_profile()
            else:
                posed, here = of_table, own
            assert here.request(1, LEFT, None) == posed.request(1, LEFT, None)
            assert here.request(2, LEFT, NO) == posed.request(2, LEFT, NO)
            assert (here.brief, here.default) == (posed.brief, posed.default)
            for answer in answers(dice, posed):
                assert verdict(here, answer) == verdict(posed, answer)
            compared += 1
    assert compared > 50


def answers(dice: random.Random, question: Question[Any]) -> list[Any]:
    """Return answers of every kind, most of them illegal."""
    amount = dice.randint(0, 210)
    if question.reply is GameActionResponse:
        return [
            GameActionResponse(action={"action_type": kind, "amount": amount}) for kind in KINDS
        ]
    return [ActionResponse.model_validate({"action": kind, "amount": amount}) for kind in KINDS] + [
        ActionResponse.model_validate({"action": kind}) for kind in KINDS
    ]


def verdict(question: Question[Any], answer: Any) -> object:
    """Return the action that an answer is, or the texts of its refusal."""
    try:
        return question.action(answer)
    except IllegalAnswer as error:
        return error.args
