"""Agents with a part in a table's deal, and the check of a session's events by anybody."""

from collections.abc import Callable, Iterable
from typing import Any

from casino_agentkit import ANYONE, Agent
from casino_agentkit.canonical_json import decoded
from casino_agentkit.contributor import Contributor
from casino_agentkit.fair_deal import (
    BYTES,
    DealKey,
    DeckName,
    DeckPlan,
    OpenedLeaves,
    block_entropy,
    block_root,
    deck_order_of,
    deck_root,
    hand_root,
)
from casino_contracts import Card, ContributeInput, ContributeOutput, TableEvent

Answer = Callable[[ContributeInput, dict[str, Any]], Any]
"""Takes a request and the answer of an honest contributor; returns the answer, or awaits it."""


def with_part(agent: Agent, answer: Answer) -> list[ContributeInput]:
    """Let an agent contribute; returns the requests that it gets."""
    contributor, requests = Contributor(), list[ContributeInput]()

    @agent.entrypoint("contribute", who=ANYONE)
    async def contribute(request: ContributeInput) -> ContributeOutput:
        """Contribute."""
        requests.append(request)
        honest = contributor.answer(request.model_dump(mode="json"))
        given = answer(request, honest)
        return ContributeOutput.model_validate(given if isinstance(given, dict) else await given)

    return requests


class CheckedDeal:
    """What the public events of a session say of its deal; raises AssertionError if that is wrong.

    `hands` has the cards of each opened leaf, by hand and leaf; `blocks` the deals in their order.
    """

    def __init__(self, events: Iterable[TableEvent]) -> None:
        self.blocks: list[dict[str, Any]] = []
        self.outcomes: list[dict[str, Any]] = []
        self.hands: dict[int, dict[int, tuple[int, ...]]] = {}
        self.keys: dict[int, tuple[DealKey, str]] = {}
        """What decides on a hand, and its block."""
        started: int | None = None
        for event in events:
            payload = event.payload or {}
            if "commitment" in payload:
                assert started is None, "no block begins within a hand"
                self.blocks.append(payload["commitment"])
            elif "contributed" in payload:
                self._contributed(payload["contributed"])
            elif event.event_type == "hand_started":
                started = payload["handNumber"]
                self._dealt(started)
            elif event.event_type == "hand_completed":
                self._completed(payload)
                started = None
            elif payload.get("kind") == "hand_cancelled":
                started = None

    def plan(self, hand: int) -> DeckPlan:
        block = next(one for one in self.blocks if one["block"] == self.keys[hand][1])
        return DeckPlan(block["cards"], tuple(block["leaves"]))

    def _contributed(self, said: dict[str, Any]) -> None:
        assert said["block"] == self.blocks[-1]["block"]
        self.outcomes.append(said)

    def _dealt(self, hand: int) -> None:
        block, said = self.blocks[-1], self.outcomes[-1]
        assert said["block"] == block["block"], "all have contributed before a card is dealt"
        assert "missing" not in said
        root, given = block_root(block), [decoded(one["entropy"]) for one in said["contributions"]]
        self.keys[hand] = DealKey(block_entropy(root, given), hand), block["block"]

    def _completed(self, payload: dict[str, Any]) -> None:
        hand, opening = payload["handNumber"], payload["opening"]
        (key, name), block, plan = self.keys[hand], self.blocks[-1], self.plan(hand)
        values = key.values(plan.cards)
        played = DeckName(name, hand, key.played)
        audit = DeckName(name, hand, key.audited)
        opened: dict[int, tuple[int, ...]] = {}
        if "secret" in opening:
            secret = decoded(opening["secret"])
            root = deck_root(secret, played, plan)
            opened[0] = tuple(deck_order_of(secret, plan))
        elif "leaves" in opening:
            leaves = OpenedLeaves.of_json(opening)
            root, opened = leaves.root(played, plan), leaves.in_leaves(plan)
        else:
            root = decoded(opening["root"])
        both = {key.played: root, key.audited: deck_root(decoded(opening["audit"]), audit, plan)}
        at = BYTES * (hand - block["firstHand"])
        assert decoded(block["roots"])[at : at + BYTES] == hand_root(both)
        self.hands[hand] = {
            leaf: tuple(values[number] for number in numbers) for leaf, numbers in opened.items()
        }
        if "communityCards" in payload:
            board = [card for leaf in sorted(opened)[-3:] for card in self.hands[hand][leaf]]
            shown = [_numbers(one["cards"]) for one in payload["shown"]]
            told = _numbers(payload["communityCards"])
            assert board[len(board) - len(told) :] == told
            own = [sorted(cards) for leaf, cards in self.hands[hand].items() if len(cards) == 2]
            assert all(sorted(cards) in own for cards in shown)


def _numbers(cards: Iterable[dict[str, str]]) -> list[int]:
    return [Card.model_validate(card).number for card in cards]
