"""An agent gets its own cards and nobody else's, and nobody else speaks for the match."""

import json
from collections import defaultdict
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from casino_agentkit import HttpReply, RemoteRefused
from casino_contracts import ActionRequest, ActionResponse
from casino_contracts.hot.action_request import AnyActionRequest
from casino_games.cards import NAMES
from casino_games.holdem.deal import deal
from casino_match.domain.block_json import block_to_json
from casino_match.domain.decks import deck_of
from casino_match.domain.plan import Plan
from casino_match.play.remote_block import match_with_agents
from casino_match.play.remote_tables import RemoteTables
from casino_match.players.player import Place
from casino_player_example.app import player_agent
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


def places(plan: Plan) -> dict[str, Place]:
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


async def test_nobody_else_can_ask_the_agent_in_the_name_of_the_match() -> None:
    """Not without its token, nor with one of another table or player; the match can."""
    side = MatchSide(Player("b", by_cards))
    answered: list[AnyActionRequest] = []

    def decide(request: AnyActionRequest) -> ActionResponse:
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
    question = asked.model_copy(update={"request_id": "forged"})
    stolen = [invited.seat_token for invited in rival.invited]
    assert all(stolen)
    for token in (None, "guessed", *stolen):
        with pytest.raises(RemoteRefused):
            await other.call(
                "act", question, ActionResponse, timeout=timedelta(seconds=1), token=token
            )
    assert len(answered) == count


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
