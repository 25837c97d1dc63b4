"""Check the cards of one hand against the decks that its table committed to. Pure.

What must be opened follows from what everybody saw: the board, the shown hands, the result.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from casino_agentkit.fair_deal import (
    BYTES,
    DealKey,
    DeckName,
    OpenedLeaves,
    bytes_in,
    deck_order_of,
    deck_root,
    hand_root,
)
from casino_contracts import HOLDEM
from casino_contracts.deal_messages import board_leaves, holdem_order

from casino_histories.committed_blocks import CARD_NAMES, CARDS, Json, PublishedBlock, must

_STREETS: Final = ("river", "turn", "flop")
"""What the last leaves of Hold'em are, from the end."""


class DealtHand:
    """A hand of a block, as it began, with what the entropy of its block says of it."""

    def __init__(self, block: PublishedBlock, entropy: bytes, number: int, began: Json) -> None:
        self.block, self.number = block, number
        self.key = DealKey(entropy, number)
        self._began = began
        self._game = block.fields.game_type
        self._is_holdem = self._game == HOLDEM
        self.players = [str(one["playerId"]) for one in list_in(began, "players")]
        strangers = sorted({*self.players} - {*block.fields.seats})
        must(not strangers, f"{', '.join(strangers)} was not there when the block began")

    @cached_property
    def order(self) -> list[str]:
        """The players in the order of their leaves."""
        if not self._is_holdem:
            return self.players
        by_seat = {one["seatNumber"]: one["playerId"] for one in list_in(self._began, "players")}
        return [by_seat[seat] for seat in holdem_order(by_seat, self._began["buttonSeat"])]

    def check_own(self, who: Any, cards: Sequence[Any], proof: Json) -> None:
        """Compare a player's own cards with what was committed to; raises ValueError."""
        must(
            proof.get("block") == self.block.name, f"the proof of {who}'s cards is of another block"
        )
        must(who in self.players, f"{who} has cards of it in the log, and was not dealt in")
        leaves = OpenedLeaves.of_json(proof)
        is_own = leaves.leaves == (self.order.index(who),)
        must(is_own, f"the proof of {who}'s cards opens those of another seat")
        dealt = self._played(leaves, bytes_in(proof, "other", BYTES))
        names = CARD_NAMES[self._game]
        is_right = sorted(names[one] for one in dealt) == sorted(map(str, cards))
        must(is_right, f"{who} got other cards than those that were committed to")

    def check_end(self, ended: Json, board: list[str]) -> None:
        """Compare with the payload of `hand_completed`, and the board that was dealt till then.

        Raises ValueError.
        """
        opening, block, plan = object_in(ended, "opening"), self.block, self.block.plan
        must(opening.get("block") == block.name, "it was opened from another block")
        name = DeckName(block.name, self.number, self.key.audited)
        audit = deck_root(bytes_in(opening, "audit", BYTES), name, plan)
        shown = self._shown(ended, board)
        if "secret" in opening:
            must(not plan.leaves and plan.cards > 0, "its whole deck was opened")
            secret = bytes_in(opening, "secret", BYTES)
            name = DeckName(block.name, self.number, self.key.played)
            self._check_root(deck_root(secret, name, plan), audit)
            values = self.key.values(plan.cards)
            dealt = [values[number] for number in deck_order_of(secret, plan)]
            is_right = _follows(self._game, dealt, ended)
            must(is_right, "its result is not that of the cards that were committed to")
        elif "leaves" in opening:
            leaves = OpenedLeaves.of_json(opening)
            self._compare(leaves, self._played(leaves, audit), shown)
        else:
            must(not shown and (plan.leaves != () or not plan.cards), "nothing of it was opened")
            self._check_root(bytes_in(opening, "root", BYTES), audit)

    def _played(self, leaves: OpenedLeaves, other: bytes) -> list[int]:
        """Return the cards of opened leaves; raises ValueError."""
        plan = self.block.plan
        name = DeckName(self.block.name, self.number, self.key.played)
        self._check_root(leaves.root(name, plan), other)
        must(len({*leaves.numbers}) == len(leaves.numbers), "the same card was dealt twice")
        values = self.key.values(plan.cards)
        return [values[number] for number in leaves.numbers]

    def _check_root(self, played: bytes, other: bytes) -> None:
        root = hand_root({self.key.played: played, self.key.audited: other})
        is_right = root == self.block.root_of(self.number)
        must(is_right, "it was not dealt from the decks that the table had committed to")

    def _compare(
        self, leaves: OpenedLeaves, cards: list[int], shown: dict[int, list[str]] | None
    ) -> None:
        if shown is None:
            return
        names = CARD_NAMES[self._game]
        dealt = iter([names[card] for card in cards])
        for leaf in sorted({*leaves.leaves, *shown}):
            what = self._name(leaf)
            must(leaf in shown, f"{what} were opened, and not shown")
            must(leaf in leaves.leaves, f"{what} were shown, and not opened")
            opened = [next(dealt) for _ in range(self.block.plan.leaves[leaf])]
            is_right = sorted(opened) == sorted(shown[leaf])
            must(is_right, f"{what} are not those that were committed to")

    def _name(self, leaf: int) -> str:
        from_end = len(self.block.plan.leaves) - leaf - 1
        if self._is_holdem and from_end < len(_STREETS):
            return f"the cards of the {_STREETS[from_end]}"
        return f"the cards of {self.order[leaf] if leaf < len(self.order) else f'leaf {leaf}'}"

    def _shown(self, ended: Json, board: list[str]) -> dict[int, list[str]] | None:
        """Return the cards that everybody saw, by leaf; None where the game is not known."""
        leaves = self.block.plan.leaves
        if self._is_holdem:
            cards = short_cards(ended["communityCards"])
            must(cards[: len(board)] == board, "cards of the board changed")
            must(len(cards) in {0, 3, 4, 5}, f"its board has {len(cards)} cards")
            left = iter(cards)
            shown = {
                leaf: [next(left) for _ in range(leaves[leaf])]
                for leaf in board_leaves(len(leaves), len(cards))
            }
            for hand in list_in(ended, "shown"):
                must(hand["playerId"] in self.order, f"{hand['playerId']} showed cards of it")
                shown[self.order.index(hand["playerId"])] = short_cards(hand["cards"])
            return shown
        if self._game not in CARD_NAMES:
            return None
        public = _result(ended)
        seats = [one["player_id"] for one in list_in(public, "players")]
        shown = {seats.index(one["player_id"]): [one["card"]] for one in list_in(public, "shown")}
        if public.get("public_card"):
            shown[len(leaves) - 1] = [public["public_card"]]
        return shown


def _follows(game: str, dealt: Sequence[int], ended: Json) -> bool:
    """Return whether a result follows from the cards of a whole deck, where the game is known."""
    match game:
        case "roulette":
            return bool(_result(ended)["pocket"] == dealt[0])
        case "blackjack":
            public = _result(ended)
            hands = [hand for one in list_in(public, "players") for hand in one["hands"]]
            seen = [card for hand in (public["dealer"], *hands) for card in hand["cards"]]
            return Counter(seen) == Counter(CARDS[one % len(CARDS)] for one in dealt[: len(seen)])
        case "simple_card":
            public = _result(ended)
            players = [one["player_id"] for one in list_in(public, "players")]
            count, tricks = len(players), list_in(public, "tricks")
            played: Mapping[str, Counter[int]] = {name: Counter() for name in players}
            for one in [card for trick in tricks for card in trick["cards"]]:
                played[one["player_id"]][one["card"]] += 1
            cards = [one // count + 1 for one in dealt[: count * len(tricks)]]
            return all(
                played[name] == Counter(cards[index::count]) for index, name in enumerate(players)
            )
    return True


def _result(ended: Json) -> Json:
    return object_in(object_in(ended, "result"), "public")


def short_cards(cards: Sequence[Json]) -> list[str]:
    """Return cards of the wire as `As`."""
    return [f"{one['rank']}{one['suit'][0]}" for one in cards]


def object_in(fields: Json, name: str) -> Json:
    """Return an object of a message; raises ValueError without one."""
    value = fields.get(name)
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is missing")  # noqa: TRY004  as other faults
    return value


def list_in(fields: Json, name: str) -> list[Any]:
    """Return a list of a message; empty without one."""
    value = fields.get(name)
    return value if isinstance(value, list) else []
