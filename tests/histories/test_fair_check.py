"""What is said of a room whose deal is checked: proofs, deleted events, stacked decks, junk."""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from casino_agentkit.card_key import CardKey
from casino_agentkit.fair_deal import CommittedDeck, DealKey, DeckName, DeckPlan, deck_order_of
from casino_histories.fair_check import FairCheck, FairReport, checked, checked_proof
from support.histories.fair_room import FairRoom, StackedDeck


def test_a_signer_who_is_not_expected_is_named() -> None:
    room = FairRoom()
    assert checked(room.events(), signer=room.key.public.thumbprint).fault is None
    fault = checked(room.events(), signer=CardKey.new().public.thumbprint).fault
    assert fault
    assert "signed with the key" in fault.sentence


@pytest.mark.parametrize("place", [5, -1], ids=["unseen", "seen"])
def test_a_deck_with_a_card_twice_is_found_in_every_other_hand_at_least(place: int) -> None:
    """The entropy says whether it is played or audited; the table may hide it in unshown cards."""

    def decks(secret: bytes, name: DeckName, plan: DeckPlan) -> Any:
        if name.side == "B":
            return CommittedDeck(secret, name, plan)
        numbers = deck_order_of(secret, plan)[: sum(plan.leaves)]
        numbers[place] = numbers[0]
        return StackedDeck(numbers, name, plan)

    caught: Counter[str] = Counter()
    for seed in range(200):
        room = FairRoom(1, str(seed), decks)
        fault = checked(room.events()).fault
        caught[f"{DealKey(room.outcome(1), 1).audited}: {fault}"] += 1
    twice = "hand 1: the same card was dealt twice" if place == -1 else None
    assert caught.keys() == {
        "A: hand 1: it was not dealt from the decks that the table had committed to",
        f"B: {twice}",
    }
    assert all(80 < times < 120 for times in caught.values())


def test_a_proof_of_another_hand_or_room_is_named() -> None:
    room = FairRoom()
    events = room.events()[2:5]
    proof = {"roomId": "main", "handNumber": 1, "commitment": room.payload("deal_committed")}
    proof |= {"contributed": room.payload("deal_contributed"), "events": events}
    assert checked_proof(proof).fault is None
    for changes, sentence in (
        ({"handNumber": 2}, "the events are not those of hand 2"),
        ({"events": []}, "the events are not those of hand 1"),
        ({"events": [{**one, "tableId": "den"} for one in events]}, "it is of another table"),
        ({"commitment": room.payload("deal_committed", 1)}, "came without its commitment"),
    ):
        assert sentence in str(checked_proof({**proof, **changes}).fault)


def test_events_without_one_of_them_or_in_another_order_are_named() -> None:
    events = FairRoom().events()
    assert str(checked(events[:3] + events[4:]).fault) == "hand 1: event 1:5 follows event 1:3"
    events[0], events[1] = events[1], events[0]
    assert (
        str(checked(events).fault) == "contributions to block main/1/1 came without its commitment"
    )


def test_hands_whose_block_is_deleted_are_counted_unless_a_proof_has_it() -> None:
    room = FairRoom()
    kept = room.events()[3:]
    report = checked(kept)
    assert (report.skipped, report.checked, report.fault) == (2, 2, None)
    check = FairCheck()
    said = {"commitment": room.payload("deal_committed")}
    check.take_block({**said, "contributed": room.payload("deal_contributed")})
    for event in kept:
        check.take(event)
    assert (check.report.skipped, check.report.checked) == (1, 3)


def test_a_room_that_its_table_deals_is_counted_and_a_fair_one_may_not_become_one() -> None:
    room = FairRoom()
    alone = [one for one in room.steps if "handNumber" in one["payload"]]
    for one in alone:
        one["payload"].pop("opening", None)
    assert checked(alone).by_table == 4
    fair = FairRoom(1)
    steps = fair.events()
    steps += [{**one, "epoch": 2, "sequence": n} for n, one in enumerate(alone[2:], 1)]
    assert "from no block, in a room that is fair" in str(checked(steps).fault)


@pytest.mark.parametrize("junk", [None, -1, 2**70, "", "é" * 9, [], {}, [[]], {"playerId": 1}])
def test_no_event_ends_the_check_in_another_way(junk: Any) -> None:
    """Whatever stands in the place of any field, there is a report."""
    room = FairRoom(2)
    events = room.events()
    for number, event in enumerate(events[:6]):
        for *way, last in paths(event):
            changed = holder = deepcopy(event)
            for part in way:
                holder = holder[part]
            holder[last] = junk
            report = checked([*events[:number], changed, *events[number + 1 :]], own=room.log)
            assert isinstance(report, FairReport)


def paths(value: Any) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in items:
        yield (name,)
        if isinstance(inner, dict | list):
            yield from ((name, *rest) for rest in paths(inner))
