"""Ways to cheat at a fair deal, each named by who checks it: with its hand, in one sentence."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.card_key import CardKey
from casino_agentkit.fair_deal import DealKey, deck_secret
from casino_histories.fair_check import checked
from support.histories.fair_room import FairRoom, status, wire

Cheat = Callable[[FairRoom], None]
CHEATS: list[tuple[Cheat, str]] = []
"""Each with the sentence that names it: hand 1 has a showdown, hand 2 a flop, hand 3 no board."""

NOT_COMMITTED = "it was not dealt from the decks that the table had committed to"
WRONG_DECKS = "block main/1/1 has decks that its game does not have"
RANKS = "23456789TJQKA"


def named(sentence: str) -> Callable[[Cheat], Cheat]:
    def register(cheat: Cheat) -> Cheat:
        CHEATS.append((cheat, sentence))
        return cheat

    return register


def other_card(cards: list[Any]) -> None:
    """Deal the next higher card in place of the first."""
    rank = RANKS.index(cards[0]["rank"])
    cards[0] = {**cards[0], "rank": RANKS[(rank + 1) % len(RANKS)]}


def reopen(room: FairRoom, hand: int, leaves: list[int], *, is_other: bool = False) -> None:
    """Open other leaves of a hand, or the same of the deck that was not played."""
    opening = room.opening(hand)
    key = DealKey(room.outcome(1), hand)
    sides = (key.audited, key.played) if is_other else (key.played, key.audited)
    opening |= room.deck(1, hand, sides[0]).opening(leaves).to_json()
    opening["audit"] = encoded(deck_secret(room.secret(1), hand, sides[1]))


# Other cards than those that follow.


@named("hand 2: the cards of the flop are not those that were committed to")
def another_board(room: FairRoom) -> None:
    other_card(room.payload("street_dealt", 1)["communityCards"])
    other_card(room.payload("hand_completed", 1)["communityCards"])


@named("hand 1: the cards of cy are not those that were committed to")
def another_shown_card(room: FairRoom) -> None:
    other_card(room.payload("hand_completed")["shown"][0]["cards"])


@named("hand 1: cards of the board changed")
def another_river_than_was_shown(room: FairRoom) -> None:
    other_card(room.payload("hand_completed")["communityCards"])


@named("hand 1: ada got other cards than those that were committed to")
def another_own_card(room: FairRoom) -> None:
    old = room.log[0]["cards"]
    old[0] = next(name for name in ("2c", "3c", "4c") if name not in old)


@named("hand 1: the cards of cy are not those that were committed to")
def a_permutation_of_its_own(room: FairRoom) -> None:
    values = DealKey(bytes(32), 1).values(52)
    opening, ended = room.opening(1), room.payload("hand_completed")
    names = [rank + suit for rank in RANKS for suit in "cdhs"]
    cards = [names[values[number]] for number in opening["numbers"]]
    ended["shown"] = [
        {**one, "cards": wire(cards[2 * leaf : 2 * leaf + 2])}
        for leaf, one in enumerate(ended["shown"])
    ]


# Other decks, or other openings of them.


@named(f"hand 1: {NOT_COMMITTED}")
def the_wrong_side_is_played(room: FairRoom) -> None:
    reopen(room, 1, [0, 1, 3, 4, 5], is_other=True)


@named(f"hand 1: {NOT_COMMITTED}")
def a_number_of_a_leaf_is_changed(room: FairRoom) -> None:
    opening = room.opening(1)
    numbers = opening["numbers"]
    opening["numbers"] = (next(one for one in count() if one not in numbers), *numbers[1:])


@named(f"hand 1: {NOT_COMMITTED}")
def the_salts_are_swapped(room: FairRoom) -> None:
    opening, salts = room.opening(1), decoded(room.opening(1)["salts"])
    opening["salts"] = encoded(salts[16:32] + salts[:16] + salts[32:])


@named(f"hand 2: {NOT_COMMITTED}")
def the_closed_hashes_are_swapped(room: FairRoom) -> None:
    opening, closed = room.opening(2), decoded(room.opening(2)["closed"])
    opening["closed"] = encoded(closed[32:64] + closed[:32] + closed[64:])


@named(f"hand 1: {NOT_COMMITTED}")
def the_audit_is_not_of_the_other_deck(room: FairRoom) -> None:
    side = DealKey(room.outcome(1), 1).played
    room.opening(1)["audit"] = encoded(deck_secret(room.secret(1), 1, side))


@named(f"hand 3: {NOT_COMMITTED}")
def the_root_of_a_deck_without_opening_is_another(room: FairRoom) -> None:
    room.opening(3)["root"] = encoded(bytes(32))


@named("hand 1: audit: it is no text")
def the_audit_is_missing(room: FairRoom) -> None:
    del room.opening(1)["audit"]


@named("hand 1: opening is missing")
def nothing_is_opened_at_all(room: FairRoom) -> None:
    del room.payload("hand_completed")["opening"]


@named("hand 1: nothing of it was opened")
def only_a_root_is_opened(room: FairRoom) -> None:
    opening = room.opening(1)
    for name in ("leaves", "numbers", "salts", "closed"):
        del opening[name]
    opening["root"] = encoded(room.deck(1, 1, DealKey(room.outcome(1), 1).played).root)


@named("hand 1: its whole deck was opened")
def the_secret_of_a_played_deck_is_opened(room: FairRoom) -> None:
    side = DealKey(room.outcome(1), 1).played
    room.opening(1)["secret"] = encoded(deck_secret(room.secret(1), 1, side))


@named("hand 1: the cards of bob were opened, and not shown")
def a_mucked_hand_is_opened(room: FairRoom) -> None:
    reopen(room, 1, [0, 1, 2, 3, 4, 5])


@named("hand 1: the cards of the river were shown, and not opened")
def the_river_is_not_opened(room: FairRoom) -> None:
    reopen(room, 1, [0, 1, 3, 4])


@named("hand 2: it was opened from another block")
def the_opening_is_of_another_block(room: FairRoom) -> None:
    room.opening(2)["block"] = room.name(2)


@named(f"hand 2: {NOT_COMMITTED}")
def the_opening_is_of_another_hand(room: FairRoom) -> None:
    other = room.opening(1)
    room.opening(2)["audit"] = other["audit"]


# Proofs of own cards.


@named("hand 1: the proof of ada's cards opens those of another seat")
def the_cards_of_another_seat(room: FairRoom) -> None:
    deck = room.deck(1, 1, DealKey(room.outcome(1), 1).played)
    room.log[0]["proof"] |= deck.opening([0]).to_json()


@named(f"hand 2: {NOT_COMMITTED}")
def the_proof_of_another_hand(room: FairRoom) -> None:
    room.log[1]["proof"] |= {"other": room.log[0]["proof"]["other"]}


@named("hand 1: the proof of ada's cards is of another block")
def the_proof_of_another_block(room: FairRoom) -> None:
    room.log[0]["proof"] |= room.log[2]["proof"]


@named("hand 1: proof is missing")
def no_proof(room: FairRoom) -> None:
    room.log[0]["proof"] = None


# Contributions.


@named("the contribution of ada to block main/1/1 is left out")
def a_contribution_is_dropped(room: FairRoom) -> None:
    del room.payload("deal_contributed")["contributions"][1]


@named("what bob contributed to block main/1/1 is not what it committed to")
def a_contribution_is_changed(room: FairRoom) -> None:
    room.payload("deal_contributed")["contributions"][2]["entropy"] = encoded(bytes(32))


@named("hand 3: what lobby contributed to block main/1/2 is not what it committed to")
def the_contributions_are_those_of_another_block(room: FairRoom) -> None:
    before = room.payload("deal_contributed")["contributions"]
    room.payload("deal_contributed", 1)["contributions"] = before


@named("contributions to block main/1/1 came twice")
def they_contribute_twice(room: FairRoom) -> None:
    room.steps.insert(2, room.step("deal_contributed"))


@named("the contributions to block main/1/1 are not in their order")
def the_contributions_are_reordered(room: FairRoom) -> None:
    room.payload("deal_contributed")["contributions"].reverse()


@named("contributions to block main/1/2 came without its commitment")
def the_contributions_name_another_block(room: FairRoom) -> None:
    room.payload("deal_contributed")["block"] = room.name(2)


@named("what eve contributed to block main/1/1 is not what it committed to")
def somebody_else_contributes(room: FairRoom) -> None:
    room.payload("deal_contributed")["contributions"][2]["playerId"] = "eve"


@named("contributed.contributions.1.entropy must match ^[A-Za-z0-9_-]{43}$")
def a_contribution_is_too_short(room: FairRoom) -> None:
    room.payload("deal_contributed")["contributions"][1]["entropy"] = "AAAA"


@named("ada is named missing in block main/1/1, and contributed")
def missing_is_who_was_there(room: FairRoom) -> None:
    room.payload("deal_contributed")["missing"] = [{"playerId": "ada", "reason": "silent"}]


@named("hand 1: it was dealt from block main/1/1, where ada is missing")
def hands_are_dealt_without_who_is_missing(room: FairRoom) -> None:
    del room.payload("deal_contributed")["contributions"][1]
    room.payload("deal_contributed")["missing"] = [{"playerId": "ada", "reason": "silent"}]


# Commitments.


@named("contributions to block main/1/1 came without its commitment")
def the_table_commits_after_the_contributions(room: FairRoom) -> None:
    room.steps[0], room.steps[1] = room.steps[1], room.steps[0]


@named("block main/1/1 was committed to twice")
def two_commitments_to_one_block(room: FairRoom) -> None:
    room.steps.insert(1, room.step("deal_committed"))


@named("hand 2: block main/1/1 was given up for main/1/2, without a reason")
def a_block_is_restarted_for_other_cards(room: FairRoom) -> None:
    room.cut_after(1)
    room.open_block(2, 2)


@named("hand 3: block main/1/3 follows main/1/1: one was not shown")
def a_block_is_hidden(room: FairRoom) -> None:
    room.cut_after(2)
    room.open_block(3, 3)


@named("hand 1: it began before the contributions to block main/1/1 came")
def a_hand_before_the_contributions(room: FairRoom) -> None:
    room.steps.insert(3, room.steps.pop(1))


@named("hand 2: a block was committed to within a hand")
def a_commitment_within_a_hand(room: FairRoom) -> None:
    started = room.steps.index(room.step("hand_started", 1))
    room.steps.insert(started + 1, room.step("deal_committed", 1))


@named("hand 3: it is outside of block main/1/1")
def a_hand_beyond_the_block(room: FairRoom) -> None:
    room.cut_after(2)
    room.play(3, 1)


@named("hand 3: it came after hand 1: one was left out")
def a_hand_is_left_out(room: FairRoom) -> None:
    room.__init__(3, size=3)  # type: ignore[misc]
    second = room.steps.index(room.step("hand_started", 1))
    del room.steps[second : room.steps.index(room.step("hand_started", 2))]


@named("hand 1: it was dealt a second time")
def a_cancelled_hand_is_dealt_again(room: FairRoom) -> None:
    room.cut_after(1)
    room.steps[-1] = status("hand_cancelled", handNumber=1)
    room.play(1, 1)


@named("hand 3: block main/1/2 begins with hand 5, not with 3")
def a_block_for_hands_far_away(room: FairRoom) -> None:
    room.payload("deal_committed", 1)["firstHand"] = 5


@named("block main/1/1 is not signed with the table's key")
def a_signature_is_missing(room: FairRoom) -> None:
    del room.payload("deal_committed")["key"]


@named("hand 3: block main/1/2 is signed with another key than the one before")
def another_key_signs(room: FairRoom) -> None:
    room.key = CardKey.new()
    room.cut_after(2)
    room.open_block(2, 3)


@named("the signature of block main/1/1 is wrong")
def the_signature_is_over_another_root(room: FairRoom) -> None:
    signature = room.payload("deal_committed", 1)["signature"]
    room.payload("deal_committed")["signature"] = signature


@named(f"{WRONG_DECKS}: 53 cards, leaves of [2, 2, 2, 3, 1, 1]")
def a_card_more(room: FairRoom) -> None:
    room.steps.clear()
    room.open_block(1, 1, cards=53)


@named(f"{WRONG_DECKS}: 52 cards, leaves of [2, 2, 2, 5]")
def other_leaves(room: FairRoom) -> None:
    room.steps.clear()
    room.open_block(1, 1, leaves=[2, 2, 2, 5])


@named("the contributors of block main/1/1 are not the lobby, then by seat")
def contributors_in_another_order(room: FairRoom) -> None:
    room.payload("deal_committed")["commitments"].reverse()


@named("hand 1: eve was not there when the block began")
def a_player_from_nowhere(room: FairRoom) -> None:
    room.payload("hand_started")["players"][2]["playerId"] = "eve"


@named("block main/1/1 is of another table")
def a_block_of_another_table(room: FairRoom) -> None:
    room.table = "other"


@named("block main/1/1 was committed to in epoch 2")
def a_block_of_another_epoch(room: FairRoom) -> None:
    room.epoch = 2


@named("hand 2: hand 2 of the log is not among the events")
def a_dealt_hand_is_hidden(room: FairRoom) -> None:
    log = room.log[:2]
    room.cut_after(1)
    room.log = log


@pytest.mark.parametrize(("cheat", "sentence"), CHEATS, ids=[one.__name__ for one, _ in CHEATS])
def test_a_cheat_is_named(cheat: Cheat, sentence: str) -> None:
    room = FairRoom()
    cheat(room)
    fault = checked(room.events(), own=room.log).fault
    assert str(fault) == sentence


def test_there_are_forty_and_an_honest_room_is_none_of_them() -> None:
    room = FairRoom()
    report = checked(room.events(), own=room.log)
    assert len(CHEATS) >= 40
    assert report.fault is None
    assert (report.checked, report.own, report.blocks) == (4, 4, 2)
    assert report.contributors == {"lobby": 4, "ada": 4, "bob": 4}
