"""A contributor reveals for the first commitment only, and names a deal that is not fair."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from casino_agentkit import CommandRefused, Contributor, UnfairDeal
from casino_agentkit.canonical_json import encoded
from casino_agentkit.card_key import CardKey
from casino_agentkit.contributor import MOST_SEATS
from casino_agentkit.fair_deal import DeckPlan, commitment_to
from support.players.fair_table import LOBBY, FairTable


class Side:
    """A contributor with numbered entropy and a clock, and what it has refused."""

    def __init__(self) -> None:
        numbers = count(1)
        self.now = 0.0
        self.contributor = Contributor(lambda: next(numbers).to_bytes(32, "big"), lambda: self.now)
        self.answer = self.contributor.answer

    def seated(self, table: FairTable) -> FairTable:
        """Go through the three calls of a block."""
        committed = self.answer(table.request())
        self.answer(table.contribute(self.answer(table.commit(committed))))
        return table

    def check(
        self, hand: int, proof: dict[str, Any] | None, cards: list[int], leaf: int | None = 0
    ) -> None:
        self.contributor.check("main", "player-1", hand, proof, cards, leaf=leaf)

    def refuses(self, why: str, request: dict[str, Any]) -> None:
        with pytest.raises(UnfairDeal, match=why) as refusal:
            self.answer(request)
        assert isinstance(refusal.value, CommandRefused)
        assert refusal.value.reason == "UNFAIR_DEAL"


def test_the_three_calls_and_the_cards_of_every_hand() -> None:
    """Each call may come again and gets the same answer, which has 32 bytes of its own."""
    side, table = Side(), FairTable(key=CardKey.new())
    committed = side.answer(table.request())
    assert committed == {"commitment": commitment_to((1).to_bytes(32, "big"))}
    assert side.answer(table.request()) == committed
    second = table.commit(committed)
    revealed = side.answer(second)
    assert revealed == side.answer(second) == {"entropy": encoded((1).to_bytes(32, "big"))}
    third = table.contribute(revealed)
    assert side.answer(third) == side.answer(third) == {}
    assert side.answer(table.request()) == committed
    for hand in (1, 2, 3):
        proof, cards = table.deal(hand)
        side.check(hand, proof, cards)
        side.check(hand, None, cards[::-1])
        with pytest.raises(
            UnfairDeal, match=f"hand {hand} of main/1/1: proof: none has come for these"
        ):
            side.check(hand, None, [cards[0], (cards[1] + 1) % 52])
        side.seated(table)
    side.check(4, None, [1, 2])
    assert side.answer(FairTable("other/1/1").request()) != committed


OTHER = {"entropy": encoded(bytes(32))}
NOT_COMMITTED = "proof: it is not of the cards that the table committed"
BAD_COMMITMENTS: list[tuple[str, str, Any]] = [
    ("protocol", "commitment.protocol: it must be a2a-casino/fair/v1", "a2a-casino/fair/v2"),
    ("block", "commitment.block", "main/1/2"),
    ("cards", "cards: it is missing", "52"),
    ("cards", "commitment.cards", 8),
    ("leaves", "commitment.leaves", [2, 0]),
    ("leaves", "commitment.leaves", [1] * 65),
    ("firstHand", "firstHand", None),
    ("roots", "commitment.roots", ""),
    ("roots", "commitment.roots", "AAAA"),
    ("roots", "roots: it is not base64url", "+"),
    ("commitments", "commitments: it is missing", {}),
    ("commitments", "each must be an object", ["x"]),
    ("commitments", "commitment: it must have 32 bytes", [{"commitment": "AAAA"}]),
    ("commitments", "ours is missing, or another one", []),
    ("key", "commitment.key: it is not a key", {"kty": "RSA"}),
    ("key", "commitment.key", None),
    ("signature", "signature: it is not of this", "AAAA"),
    ("signature", "commitment.signature: it is not of this", encoded(bytes(64))),
]


@pytest.mark.parametrize(("name", "why", "value"), BAD_COMMITMENTS)
def test_no_entropy_for_a_commitment_that_is_wrong(name: str, why: str, value: Any) -> None:
    """And it still is there for the right one."""
    side = Side()
    table = FairTable(key=CardKey.new() if name in {"key", "signature"} else None)
    second = table.commit(side.answer(table.request()))
    side.refuses(why, {**second, "commitment": {**table.commitment, name: value}})
    assert side.answer(second)["entropy"]


def test_the_entropy_is_for_the_first_commitment_of_a_rising_block_only() -> None:
    side, table = Side(), FairTable("main/1/2")
    side.refuses(
        "block: main/1/2 is not one that we have a part in", table.commit({"commitment": ""})
    )
    earlier = FairTable("main/1/1")
    kept = side.answer(earlier.request())
    side.seated(table)
    again = FairTable("main/1/2", secret=bytes(32))
    side.refuses("main/1/2 has had another one before", again.commit(side.answer(again.request())))
    side.refuses("main/1/1 is not above the block before", earlier.commit(kept))
    assert side.answer(FairTable("main/1/0").request()) == {}
    assert side.answer(FairTable("main/0/9").request()) == {}
    side.seated(FairTable("main/2/1"))
    for name in ("main", "main/1/x", "main/-1/1", 7, "", "m" * 301):
        side.refuses("block: it", {**table.request(), "block": name})
    side.refuses("tableId: it is missing", {"block": "main/3/1"})


@pytest.mark.parametrize(
    ("why", "made"),
    [
        ("contributed.block", lambda _: {"block": "main/1/2"}),
        ("not of those who committed", lambda ours: {"contributions": ours[::-1]}),
        ("not of those who committed", lambda ours: {"contributions": ours[:1]}),
        ("that of the lobby does not fit", lambda ours: {"contributions": [OTHER, ours[1]]}),
        ("of player-1 does not fit", lambda us: {"contributions": [us[0], us[1] | OTHER]}),
        ("it must have 32 bytes", lambda ours: {"contributions": [{"entropy": "AA"}, ours[1]]}),
        ("contributions: it is missing", lambda _: {}),
        ("missing: names us", lambda _: {"missing": [{"playerId": "player-1"}]}),
    ],
)  # fmt: skip
def test_what_others_contributed_is_checked(
    why: str, made: Callable[[list[dict[str, Any]]], dict[str, Any]]
) -> None:
    side, table = Side(), FairTable()
    third = table.contribute(side.answer(table.commit(side.answer(table.request()))))
    parts = third["contributed"]["contributions"]
    side.refuses(why, table.request(contributed={"block": table.block, **made(parts)}))


def test_a_block_that_was_given_up_is_not_dealt() -> None:
    """Nor given up after it was dealt; without the third call nothing can be checked."""
    side, table = Side(), FairTable()
    third = table.contribute(side.answer(table.commit(side.answer(table.request()))))
    missing = table.request(contributed={"block": table.block, "missing": [{"reason": "silent"}]})
    side.refuses("nothing was committed to", {**missing, "block": "main/1/2"} | side_block(side))
    assert side.answer(missing) == {}
    side.refuses("main/1/1 was given up before", third)
    side.check(1, None, [1, 2])
    side.check(1, *table.deal(1))
    dealt = side.seated(FairTable("main/1/2"))
    side.refuses(
        "all have contributed before",
        {
            **missing,
            "block": dealt.block,
            "contributed": {**missing["contributed"], "block": dealt.block},
        },
    )


def side_block(side: Side) -> dict[str, Any]:
    """Ask for a commitment to a second block, and name it."""
    side.answer(FairTable("main/1/2").request())
    return {"block": "main/1/2"}


@pytest.mark.parametrize(
    ("why", "leaf", "changes"),
    [
        ("proof.block", 0, {"block": "main/1/2"}),
        ("proof.leaves: it is not that of the seat", 1, {}),
        ("proof.leaves", None, {}),
        (NOT_COMMITTED, 0, {"other": encoded(bytes(32))}),
        (NOT_COMMITTED, 0, {"salts": encoded(bytes(16))}),
        ("salts: there must be 16 bytes", 0, {"salts": ""}),
        ("closed: there must be a hash", 0, {"closed": ""}),
        ("numbers: they do not fit", 0, {"numbers": [1]}),
        ("numbers: they do not fit", 0, {"numbers": [1, 52]}),
        ("leaves: it must be a list", 0, {"leaves": None}),
        ("other: it must have 32 bytes", 0, {"other": "AAAA"}),
    ],
)  # fmt: skip
def test_a_wrong_proof_is_named(why: str, leaf: int | None, changes: dict[str, Any]) -> None:
    """And the hand stays refused without another one, though not the next hand."""
    side = Side()
    table = side.seated(FairTable())
    proof, cards = table.deal(1)
    with pytest.raises(UnfairDeal, match=f"hand 1 of main/1/1: {why}"):
        side.check(1, {**proof, **changes}, cards, leaf)
    with pytest.raises(
        UnfairDeal, match="hand 1 of main/1/1: proof: none has come for these cards"
    ):
        side.check(1, None, cards)
    side.check(2, *table.deal(2))


def test_a_refusal_tells_no_stranger_which_cards_are_right() -> None:
    """Whatever cards are guessed, the answer is the same; the table is answered as before."""
    side = Side()
    table = side.seated(FairTable())
    proof, cards = table.deal(1)
    side.check(1, proof, cards)
    why = set()
    for guess in (cards, [cards[1], 51 - cards[0]]):
        with pytest.raises(UnfairDeal) as refusal:
            side.contributor.check("main", "player-1", 1, None, guess, leaf=0, asker="another")
        why.add(str(refusal.value))
    assert len(why) == 1
    side.check(1, None, cards)


def test_other_cards_and_the_proofs_of_others_are_named() -> None:
    side = Side()
    table = side.seated(FairTable())
    proof, cards = table.deal(1)
    for wrong in ([cards[0], 51 - cards[1]], cards[:1], [*cards, 51 - cards[0]]):
        with pytest.raises(UnfairDeal, match="the cards are not those of the proof"):
            side.check(1, proof, wrong)
    with pytest.raises(UnfairDeal, match="not of the cards that the table committed to"):
        side.check(2, proof, cards)
    with pytest.raises(UnfairDeal, match="leaves: it is not that of the seat"):
        side.check(1, *table.deal(1, leaf=1))
    with pytest.raises(UnfairDeal, match="handNumber: the block has no such hand"):
        side.check(4, proof, cards)


def test_a_hand_without_a_proof_is_refused_once() -> None:
    """A player that sat out has no part in the block that began meanwhile; nobody tells it."""
    side = Side()
    side.seated(FairTable())
    for _attempt in range(2):
        with pytest.raises(UnfairDeal):
            side.check(1, None, [1, 2])
    side.check(2, None, [1, 2])
    table = side.seated(FairTable("main/1/2", first=3))
    side.check(3, *table.deal(3))
    side.answer(FairTable("main/1/3").request())
    side.check(4, None, [1, 2])
    whole = side.seated(FairTable("main/1/4", plan=DeckPlan(37, ())))
    assert whole.outcome
    side.check(1, None, [])


def test_seats_are_bounded_and_none_that_has_revealed_is_forgotten_within_an_hour() -> None:
    """So that nobody makes a contributor forget what it has revealed."""
    side = Side()
    for number in range(MOST_SEATS):
        side.seated(FairTable(f"t{number}/1/1"))
    assert side.answer(FairTable("new/1/1").request()) == {}
    side.now = 3_599.0
    side.seated(FairTable("t0/1/2"))
    side.now = 3_601.0
    assert side.answer(FairTable("new/1/1").request())["commitment"]
    assert side.answer(FairTable("t0/1/1").request())["commitment"]
    side.refuses(
        "has had another one",
        FairTable("t0/1/2", secret=bytes(32)).commit({"commitment": commitment_to(LOBBY)}),
    )
    side.seated(FairTable("t1/1/1", secret=bytes(32)))
