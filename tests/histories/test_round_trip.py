"""What is written comes back: by our own readers, and by pokerkit, which plays it again."""

import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count, islice
from typing import Any

import pytest
from casino_contracts import HandDetail, HandSummary, TableEvent
from casino_histories import HandHistory, ShownCards, all_read
from casino_histories.as_events import EventsOfHand
from casino_histories.from_record import history_of
from casino_histories.history_files import read_hands
from casino_histories.open_hand_history import ohh_text
from casino_histories.phh import phh
from casino_histories.pokerstars_writer import pokerstars_text
from casino_match.hand_export import ranked
from pokerkit import HandHistory as TheirHistory
from support.histories.field_hands import field_hand
from support.histories.hand_facts import facts
from support.histories.pokerkit_deviations import deviation_of
from support.histories.random_hands import random_hand

HANDS = 80
WRITERS = (phh, pokerstars_text, ohh_text)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("decimals", [0, 2])
def test_hands_come_back(write: Callable[[HandHistory], str], decimals: int) -> None:
    for number in range(HANDS):
        hand = random_hand(number, decimals=decimals)
        (back,) = all_read(read_hands(write(hand).encode()))
        assert facts(back) == facts(hand), write(hand)


@pytest.mark.parametrize("write", WRITERS)
def test_files_have_many_hands(write: Callable[[HandHistory], str]) -> None:
    hands = [random_hand(number) for number in range(1, 5)]
    head = "[{}]\n" if write is phh else ""
    text = "\n\n".join(head.format(hand.number) + write(hand) for hand in hands)
    back = list(all_read(read_hands(text.encode())))
    assert [facts(hand) for hand in back] == [facts(hand) for hand in hands]


def test_names_ids_and_times_come_back() -> None:
    at = datetime(2026, 11, 23, 20, 5, 7, tzinfo=UTC)
    hand = random_hand(3)
    dated = HandHistory(**{**vars_of(hand), "started_at": at})
    for write in WRITERS:
        (back,) = all_read(read_hands(write(dated).encode()))
        assert back.started_at == at
    for write in (phh, ohh_text):
        (back,) = all_read(read_hands(write(dated).encode()))
        assert [seat.name for seat in back.seats] == [seat.name for seat in hand.seats]
        assert (back.hand_id, back.table) == (hand.hand_id, hand.table)


def vars_of(hand: HandHistory) -> dict[str, Any]:
    return {name: getattr(hand, name) for name in HandHistory.__dataclass_fields__}


def detail_of(hand: HandHistory) -> HandDetail:
    events = [
        TableEvent(
            table_id="t",
            event_type=kind,
            message=message,
            timestamp="2026-11-23T20:05:07.000Z",
            payload=payload,
            sequence=number,
            epoch=1,
        )
        for number, (kind, message, payload) in enumerate(EventsOfHand(hand, 1).events(), 1)
    ]
    summary = HandSummary(
        hand_id="t/1",
        hand_number=1,
        epoch=1,
        last_sequence=len(events),
        timestamp="2026-11-23T20:05:07.000Z",
        message="",
    )
    return HandDetail(room_id="green", hand=summary, events=tuple(events))


@pytest.mark.parametrize("make", [random_hand, partial(random_hand, decimals=2), field_hand])
def test_events_of_a_table_come_back(make: Callable[[int], HandHistory]) -> None:
    """With the record all cards, without it those that were shown."""
    for number in range(HANDS):
        hand = make(number)
        detail = detail_of(hand)
        record = EventsOfHand(hand, 1).record("t", 1)
        assert facts(history_of(detail, record)) == facts(hand)
        shown = {item.seat for item in hand.shown}
        for seat, player in enumerate(history_of(detail).seats):
            assert player.cards == (hand.seats[seat].cards if seat in shown else ())


def test_who_decided_is_read_from_the_events() -> None:
    """A decision that the table made has its outcome as reason; another's entry is left out."""
    hand = next(hand for hand in map(random_hand, range(HANDS)) if len(hand.actions) > 3)
    detail = detail_of(hand)
    acted = [event for event in detail.events if event.event_type == "action_taken"]
    ids = [event.payload["playerId"] for event in acted if event.payload]
    told = dict.fromkeys((1, 2), "timeout") | {3: "defaulted"}
    usage = {"model": "small", "inputTokens": 7}
    disclosed = [
        {"decision": 1, "playerId": ids[0], "usage": usage},
        {"decision": 2, "playerId": "another", "usage": usage},
        {"decision": 99, "playerId": ids[0], "usage": usage},
        {"decision": 4, "playerId": ids[3], "reasoning": "why"},
    ]
    events, number = [], 0
    for event in detail.events:
        more: dict[str, Any] = {}
        if event.event_type == "action_taken":
            number += 1
            more = {"outcome": told[number]} if number in told else {}
        elif event.event_type == "hand_completed":
            more = {"disclosed": disclosed}
        events.append(event.model_copy(update={"payload": {**(event.payload or {}), **more}}))
    decided = history_of(detail.model_copy(update={"events": tuple(events)})).decided
    assert [said.model_dump(mode="json") for said in decided] == [
        {**disclosed[0], "defaulted": {"reason": "timeout"}},
        {"decision": 2, "playerId": ids[1], "defaulted": {"reason": "timeout"}},
        {"decision": 3, "playerId": ids[2], "defaulted": {"reason": "other"}},
        disclosed[3],
    ]


REPLAYED = 300


def replayed(text: str) -> tuple[int, ...] | None:
    """Return the stacks after pokerkit has played a PHH again; None if it cannot."""
    try:
        *_, state = TheirHistory.loads(text)
    except ValueError:
        return None
    assert not state.status
    return tuple(state.stacks)


def of_the_field() -> Iterator[HandHistory]:
    """Yield hands of the field without rake that their cards decide, which pokerkit can play."""
    for hand in map(field_hand, count()):
        if all(seat.cards for seat in hand.seats) and not (hand.rake or hand.is_cancelled):
            shown = tuple(ShownCards(seat, hand.seats[seat].cards, "") for seat in hand.live)
            decided = ranked(replace(hand, pots=(), shown=shown, decimals=0))
            yield decided if hand.has_showdown else replace(hand, decimals=0)


@pytest.mark.full
@pytest.mark.parametrize(
    ("hands", "most"),
    [(lambda: map(random_hand, count()), 0.03), (of_the_field, 0.12)],
    ids=["engine", "field"],
)
def test_pokerkit_agrees_with_every_phh(
    hands: Callable[[], Iterator[HandHistory]], most: float
) -> None:
    """Except in the situations in which its rules deviate: those are few, and loaded as well."""
    deviating: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about cards that it did not shuffle
        for hand in islice(hands(), REPLAYED):
            text = phh(hand)
            assert TheirHistory.loads(text).finishing_stacks == list(hand.finishing_stacks)
            if replayed(text) != hand.finishing_stacks:
                deviation = deviation_of(hand)
                assert deviation is not None, text
                deviating[deviation] += 1
    assert deviating.total() <= REPLAYED * most, deviating


def test_a_file_has_numbered_hands() -> None:
    text = "".join(f"[{number}]\n{phh(random_hand(number))}\n" for number in range(1, 6))
    hands = list(TheirHistory.loads_all(text))
    assert [hand.hand for hand in hands] == [1, 2, 3, 4, 5]


def test_decimals_are_exact() -> None:
    hand = random_hand(7, decimals=2)
    stacks = TheirHistory.loads(phh(hand)).starting_stacks
    assert [stack * 100 for stack in stacks] == [seat.stack for seat in hand.seats]


def without_antes(first: int, most: int) -> list[HandHistory]:
    """Return hands that pokerkit's reader of PokerStars text can read: it skips antes."""
    hands = (random_hand(number) for number in range(first, first + 4 * most))
    return [hand for hand in hands if not hand.ante][:most]


def test_pokerkit_reads_the_text_of_pokerstars() -> None:
    """It plays each hand again and comes to the same stacks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for hand in without_antes(0, 60):
            (theirs,) = TheirHistory.from_pokerstars(pokerstars_text(hand), error_status=True)
            *_, state = theirs
            if tuple(state.stacks) != hand.finishing_stacks:
                assert deviation_of(hand) is not None, pokerstars_text(hand)


@pytest.mark.parametrize("hands", [5])
def test_pokerkit_separates_the_hands_of_a_file(hands: int) -> None:
    text = "\n\n".join(pokerstars_text(hand) for hand in without_antes(100, hands)) + "\n\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(list(TheirHistory.from_pokerstars(text, error_status=True))) == hands


def test_what_a_table_opens_is_written() -> None:
    """What no check can read is left out: a file of it would not be TOML."""
    hand = random_hand(3)
    *events, completed = detail_of(hand).events
    opening = {"block": "t/1/1", "audit": "A" * 43, "leaves": [0, 4], "numbers": [51, 3, 7]}
    for said, written in ((opening, opening), ({"block": [None]}, None), (None, None)):
        payload = {**(completed.payload or {}), "opening": said}
        ended = completed.model_copy(update={"payload": payload})
        detail = detail_of(hand).model_copy(update={"events": (*events, ended)})
        fields = tomllib.loads(phh(history_of(detail)))
        assert fields.get("_opening") == written
