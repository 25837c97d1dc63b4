"""Public events of a room whose deal is fair, built by the book: what cheats then change."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from struct import pack
from typing import Any

from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.card_key import CardKey
from casino_agentkit.fair_deal import (
    PROTOCOL,
    CommittedDeck,
    DealKey,
    DeckName,
    DeckPlan,
    OpenedLeaves,
    block_entropy,
    block_root,
    commitment_to,
    deck_secret,
    hand_root,
)
from casino_contracts.deal_messages import board_leaves, holdem_leaves, holdem_order
from casino_games.cards import NAMES

SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
BOARDS = (5, 3, 0, 4)
"""Cards of the board in the hands 1, 2, 3, 4, and again; a board of five has a showdown."""

Json = dict[str, Any]
Decks = Callable[[bytes, DeckName, DeckPlan], Any]


def wire(names: Iterable[str]) -> list[Json]:
    return [{"rank": name[0], "suit": SUITS[name[1]]} for name in names]


class StackedDeck:
    """A deck with the numbers that somebody has chosen, hashed as the protocol says."""

    def __init__(self, numbers: Sequence[int], name: DeckName, plan: DeckPlan) -> None:
        left = iter(numbers)
        self._leaves = [[next(left) for _ in range(size)] for size in plan.leaves]
        self._salts = [sha256(b"%d" % leaf).digest()[:16] for leaf in range(len(plan.leaves))]
        self.hashes = [
            sha256(b"leaf" + name.context + pack(f">{1 + len(own)}H", leaf, *own) + salt).digest()
            for leaf, (own, salt) in enumerate(zip(self._leaves, self._salts, strict=True))
        ]
        self.root = sha256(b"deck" + b"".join(self.hashes)).digest()

    def opening(self, leaves: Iterable[int]) -> OpenedLeaves:
        opened = sorted(leaves)
        return OpenedLeaves(
            tuple(opened),
            tuple(number for leaf in opened for number in self._leaves[leaf]),
            b"".join(self._salts[leaf] for leaf in opened),
            b"".join(one for leaf, one in enumerate(self.hashes) if leaf not in opened),
        )


class FairRoom:
    """A room of Hold'em with three players, of which Ada and Bob contribute, as the lobby does."""

    table, epoch = "main", 1
    seats: Sequence[str] = ("ada", "bob", "cy")

    def __init__(
        self, hands: int = 4, seed: str = "", decks: Decks = CommittedDeck, size: int = 2
    ) -> None:
        """Play `hands`, `size` of them in a block; `decks` makes a deck from its secret."""
        self.size = size
        self.key = CardKey.new()
        self.steps: list[Json] = []
        """Events without their places."""
        self.log: list[Json] = []
        """What Ada was dealt."""
        self._seed, self._decks = seed, decks
        self._blocks: dict[int, tuple[Json, bytes]] = {}
        for hand in range(1, hands + 1):
            if (hand - 1) % self.size == 0:
                self.open_block(1 + (hand - 1) // self.size, hand)
            self.play(hand, 1 + (hand - 1) // self.size)

    def cut_after(self, hand: int) -> None:
        """Forget what comes after a hand."""
        del self.steps[self.steps.index(self.step("hand_completed", hand - 1)) + 1 :]
        del self.log[hand:]

    def outcome(self, number: int) -> bytes:
        return self._blocks[number][1]

    def events(self) -> list[Json]:
        place = {"tableId": self.table, "epoch": self.epoch}
        return [{**place, "sequence": n, **step} for n, step in enumerate(self.steps, 1)]

    def entropy(self, who: str | None, number: int) -> bytes:
        return sha256(f"{self._seed}/{who}/{number}".encode()).digest()

    def secret(self, number: int) -> bytes:
        return sha256(f"{self._seed}/S/{number}".encode()).digest()

    def name(self, number: int) -> str:
        return f"{self.table}/{self.epoch}/{number}"

    @property
    def plan(self) -> DeckPlan:
        return DeckPlan(52, holdem_leaves(len(self.seats)))

    @property
    def contributors(self) -> list[str | None]:
        return [None, *self.seats[:2]]

    def deck(self, number: int, hand: int, side: Any) -> Any:
        secret = deck_secret(self.secret(number), hand, side)
        return self._decks(secret, DeckName(self.name(number), hand, side), self.plan)

    def commitment(self, number: int, first: int, **changes: Any) -> Json:
        roots = [
            hand_root({side: self.deck(number, hand, side).root for side in ("A", "B")})
            for hand in range(first, first + self.size)
        ]
        plain = {
            "protocol": PROTOCOL,
            "block": self.name(number),
            "gameType": "texas-holdem",
            "firstHand": first,
            "cards": self.plan.cards,
            "leaves": list(self.plan.leaves),
            "seats": list(self.seats),
            "commitments": [
                by(who, commitment=commitment_to(self.entropy(who, number)))
                for who in self.contributors
            ],
            "roots": encoded(b"".join(roots)),
            "key": dict(self.key.public.jwk),
        }
        return self.signed({**plain, **changes})

    def signed(self, commitment: Json) -> Json:
        plain = {name: value for name, value in commitment.items() if name != "signature"}
        return {**plain, "signature": encoded(self.key.sign(block_root(plain)))}

    def contributed(self, number: int) -> Json:
        parts = [by(who, entropy=encoded(self.entropy(who, number))) for who in self.contributors]
        return {"block": self.name(number), "contributions": parts}

    def open_block(self, number: int, first: int, **changes: Any) -> None:
        commitment, contributed = (
            self.commitment(number, first, **changes),
            self.contributed(number),
        )
        self.steps.append(status("deal_committed", commitment=commitment))
        self.steps.append(status("deal_contributed", contributed=contributed))
        parts = [decoded(one["entropy"]) for one in contributed["contributions"]]
        self._blocks[number] = (commitment, block_entropy(block_root(commitment), parts))

    def play(self, hand: int, number: int, **changes: Any) -> None:
        """Deal a hand; of a board of five cards with a showdown of all but the last player."""
        key, count = DealKey(self._blocks[number][1], hand), BOARDS[(hand - 1) % len(BOARDS)]
        played = self.deck(number, hand, key.played)
        other = self.deck(number, hand, key.audited)
        values = key.values(self.plan.cards)
        button = hand % len(self.seats)
        by_seat = dict(enumerate(self.seats))
        order = [by_seat[seat] for seat in holdem_order(by_seat, button)]

        def cards(leaves: Iterable[int]) -> list[str]:
            return [NAMES[values[number]] for number in played.opening(leaves).numbers]

        players = [{"playerId": name, "seatNumber": seat} for seat, name in by_seat.items()]
        self.steps.append(
            {
                "eventType": "hand_started",
                "payload": {"handNumber": hand, "buttonSeat": button, "players": players},
            }
        )
        own = order.index("ada")
        proof = {"block": self.name(number), **played.opening([own]).to_json()}
        self.log.append(
            {
                "event": "dealt",
                "handNumber": hand,
                "block": self.name(number),
                "playerId": "ada",
                "cards": cards([own]),
                "proof": {**proof, "other": encoded(other.root)},
            }
        )
        board = board_leaves(len(self.plan.leaves), count)
        if board:
            self.steps.append(status("street_dealt", communityCards=wire(cards(board))))
        shown = range(len(order) - 1) if count == max(BOARDS) else ()
        opened = (*shown, *board)
        audit = encoded(deck_secret(self.secret(number), hand, key.audited))
        opening = {"block": self.name(number), "audit": audit}
        opening |= played.opening(opened).to_json() if opened else {"root": encoded(played.root)}
        completed = {
            "handNumber": hand,
            "communityCards": wire(cards(board)),
            "shown": [{"playerId": order[leaf], "cards": wire(cards([leaf]))} for leaf in shown],
            "opening": opening,
        }
        self.steps.append({"eventType": "hand_completed", "payload": {**completed, **changes}})

    def step(self, kind: str, count: int = 0) -> Json:
        """Return an event of a type, or a status of a kind; `count` is which of them."""
        found = [
            one for one in self.steps if kind in {one["eventType"], one["payload"].get("kind")}
        ]
        return found[count]

    def payload(self, kind: str, count: int = 0) -> Json:
        """Return what an event says: of a block the commitment or the contributions."""
        said: Json = self.step(kind, count)["payload"]
        inner: Json = said.get("commitment") or said.get("contributed") or said
        return inner

    def opening(self, hand: int) -> Json:
        opened: Json = self.payload("hand_completed", hand - 1)["opening"]
        return opened


def by(who: str | None, **fields: str) -> Json:
    return fields if who is None else {"playerId": who, **fields}


def status(kind: str, **fields: Any) -> Json:
    return {"eventType": "table_status", "payload": {"status": "running", "kind": kind, **fields}}
