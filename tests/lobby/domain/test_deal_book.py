"""The lobby's part in a deal: what it commits to, when it gives its entropy, who had a part."""

import json
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_agentkit.fair_deal import bytes_in, commitment_to
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import fold
from casino_lobby.domain.room_views import room_snapshot
from support.casino.fair_events import asked, block_of, committed_to, contributed_to
from support.casino.store_side import EventFactory, new_room


def fair_room() -> tuple[Room, EventFactory]:
    room = new_room()
    room.secret = "the room's secret"
    return room, EventFactory(room)


def refused(room: Room, block: str, **more: Any) -> str:
    with pytest.raises(CommandRefused) as refusal:
        asked(room, block, **more)
    assert refusal.value.reason == "DEAL_REFUSED"
    return refusal.value.message


def test_the_entropy_is_for_the_first_recorded_commitment_alone() -> None:
    room, factory = fair_room()
    first, other = committed_to(room), committed_to(room, secret=b"t" * 32)
    block = first["block"]
    assert "is not of this block" in refused(room, block, commitment=first)
    fold(room, [factory.status("deal_committed", commitment=first)])
    fold(room, [factory.status("deal_committed", commitment=other)])
    assert "another one" in refused(room, block, commitment=other)
    signed = {**first, "signature": "A" * 86}
    for commitment in (first, signed):
        entropy = asked(room, block, commitment=commitment)
        assert commitment_to(bytes_in({"e": entropy.entropy}, "e", 32)) == asked_before(room, block)
    assert asked(room, block, contributed={}).model_dump(exclude_none=True) == {}


def asked_before(room: Room, block: str) -> str | None:
    """Return the commitment that a lobby with the same room gave before it recorded anything."""
    again = new_room()
    again.secret = room.secret
    return asked(again, block).commitment


@pytest.mark.parametrize(
    "block",
    ["t-r2/1/1", "t-r1/2/1", "t-r1/1/0", "t-r1/1/01", "t-r1/1/x", "t-r1/1/", "", "t-r1/1/²"],
)
def test_a_block_of_another_table_epoch_or_name_gets_nothing(block: str) -> None:
    room, _ = fair_room()
    assert "t-r1/1/1" in refused(room, block or "t-r1")


def test_a_block_does_not_begin_again() -> None:
    room, factory = fair_room()
    fold(room, [factory.status("deal_committed", commitment=committed_to(room, 3))])
    for number in (1, 3):
        assert "number 3 is committed" in refused(room, block_of(room, number))
    assert asked(room, block_of(room, 4)).commitment
    factory.takes_over()
    assert asked(room, block_of(room, 1)).commitment
    assert refused(room, block_of(room, 1), commitment=committed_to(room))


def test_a_commitment_without_the_lobby_gets_nothing() -> None:
    room, factory = fair_room()
    commitment = committed_to(room)
    forged = [{"commitment": commitment_to(b"f" * 32)}, *commitment["commitments"][1:]]
    for commitments in (forged, commitment["commitments"][1:]):
        room, factory = fair_room()
        said = {**commitment, "commitments": commitments}
        fold(room, [factory.status("deal_committed", commitment=said)])
        assert "own is missing" in refused(room, said["block"], commitment=said)


def test_a_room_names_who_had_a_part() -> None:
    room, factory = fair_room()
    assert room_snapshot(room).fair is None
    commitment = committed_to(room)
    fold(room, [factory.status("started"), factory.status("deal_committed", commitment=commitment)])
    assert room_snapshot(room).fair is None
    silent = [{"playerId": "p0", "reason": "silent"}]
    void = contributed_to(room, commitment, silent)
    fold(room, [factory.status("deal_contributed", contributed=void)])
    assert room_snapshot(room).fair is None
    commitment = committed_to(room, 2)
    said = contributed_to_next(room, factory, commitment)
    fold(room, [factory.status("deal_contributed", contributed=said)])
    fair = room_snapshot(room).fair
    assert fair is not None
    assert fair.model_dump(mode="json", exclude_none=True, by_alias=True) == {
        "block": block_of(room, 2),
        "contributors": ["lobby", "p0"],
        "missing": silent,
    }
    again = Room.from_json(json.loads(json.dumps(room.to_json())))
    assert again.deals == room.deals
    fold(again, [factory.status("started")])
    next_session = room_snapshot(again).fair
    assert next_session is not None
    assert next_session.missing is None
    again.number_anew(2)
    assert room_snapshot(again).fair is None


def contributed_to_next(
    room: Room, factory: EventFactory, commitment: dict[str, Any]
) -> dict[str, Any]:
    fold(room, [factory.status("deal_committed", commitment=commitment)])
    return contributed_to(room, commitment)


@pytest.mark.parametrize("fault", ["other", "wrong", "twice", "unread"])
def test_nobody_is_named_for_what_does_not_fit(fault: str) -> None:
    room, factory = fair_room()
    commitment = committed_to(room)
    said = contributed_to_next(room, factory, commitment)
    if fault == "other":
        said["block"] = block_of(room, 2)
    elif fault == "wrong":
        said["contributions"][0] = said["contributions"][1]
    elif fault == "twice":
        said["contributions"].append(said["contributions"][1])
    else:
        said["contributions"][0] = {"entropy": "short"}
    fold(room, [factory.status("deal_contributed", contributed=said), *factory.some(1)])
    assert (room_snapshot(room).fair, room.last_sequence) == (None, 3)


@pytest.mark.parametrize(
    "fault",
    [{"firstHand": 501}, {"roots": ""}, {"roots": "AAAA"}, {"block": "t-r2/1/1"}, {"cards": None}],
)
def test_a_commitment_that_cannot_be_read_counts_for_nothing(fault: dict[str, Any]) -> None:
    room, factory = fair_room()
    said = {**committed_to(room), **fault}
    fold(room, [factory.status("deal_committed", commitment=said), *factory.some(1)])
    assert (room.deals.number, room.last_sequence) == (0, 2)
    assert "is not of this block" in refused(room, block_of(room, 1), commitment=said)
