"""Files of hands as others write them: records of rooms, and files that cannot be read."""

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import HandDetail, HandSummary, TableEvent
from casino_histories import HandHistory, NotExportable, UnreadableHistory, all_read
from casino_histories.from_record import history_of
from casino_histories.history_files import read_hands
from casino_histories.open_hand_history import ohh_text
from casino_histories.phh import phh
from casino_histories.pokerstars_writer import pokerstars_text
from support.histories.hand_facts import facts

PHH = """
# Hand between Dwan and Ivey, in the words of the format's paper
variant = 'NT'
ante_trimming_status = true
antes = [500, 500, 500]
blinds_or_straddles = [1000, 2000, 0]
min_bet = 2000
starting_stacks = [1125600, 2000000, 553500]
actions = [
  # Pre-flop
  'd dh p1 Ac2d', 'd dh p2 ????', 'd dh p3 7h6h',
  'p3 cbr 7000 # opens', 'p1 cbr 23000', 'p2 f', 'p3 cc',
  # Flop
  'd db Jc3d5c', 'p1 cbr 35000', 'p3 cc',
  # Turn
  'd db 4h', 'p1 cbr 90000', 'p3 cbr 232600', 'p1 cbr 1067100', 'p3 cc',
  # Showdown
  'p1 sm Ac2d', 'p3 sm 7h6h',
  # River
  'd db Jh',
]
players = ['Phil Ivey', 'Patrik Antonius', 'Tom Dwan']
event = 'Full Tilt Million Dollar Cash Game S4E12'
"""

POKERSTARS = """PokerStars Hand #123456789012:  Hold'em No Limit ($0.50/$1.00 USD) - \
2024/03/09 21:15:02 ET
Table 'Alpha Beta II' 6-max Seat #5 is the button
Seat 1: Bob: the 2nd ($100 in chips)
Seat 3: a collector ($61.50 in chips)
Seat 4: sleeper ($20 in chips) is sitting out
Seat 5: Zoë ($250.25 in chips)
Bob: the 2nd: posts small blind $0.50
a collector: posts big blind $1
*** HOLE CARDS ***
Dealt to Zoë [Ah Kh]
Zoë: raises $2 to $3
Bob: the 2nd: folds
newcomer joins the table at seat #2
a collector: calls $2
*** FLOP *** [Kd 7c 2h]
a collector: checks
Zoë: bets $4
Zoë said, "nice: folds"
a collector: raises $54.50 to $58.50 and is all-in
Zoë: calls $54.50
*** TURN *** [Kd 7c 2h] [9h]
*** RIVER *** [Kd 7c 2h 9h] [2c]
*** SHOW DOWN ***
a collector: shows [7d 7s] (a full house, Sevens full of Deuces)
Zoë: mucks hand
a collector collected $120.50 from pot
*** SUMMARY ***
Total pot $123.50 | Rake $3
Board [Kd 7c 2h 9h 2c]
Seat 1: Bob: the 2nd (small blind) folded before Flop
Seat 3: a collector (big blind) showed [7d 7s] and won ($120.50) with a full house
Seat 5: Zoë (button) mucked [Ah Kh]
"""

OHH = """[{"ohh": {"spec_version": "1.2.2", "site_name": "iPoker", "game_type": "Holdem",
 "table_name": "B", "table_size": 6, "game_number": "8599887794",
 "start_date_utc": "2020-04-07T14:32:50", "currency": "EUR", "ante_amount": 0.00,
 "small_blind_amount": 0.01, "big_blind_amount": 0.02, "dealer_seat": 8,
 "bet_limit": {"bet_cap": 0.00, "bet_type": "NL"}, "hero_player_id": 3,
 "players": [{"name": "One", "id": 0, "starting_stack": 0.80, "seat": 1},
  {"name": "Hero", "id": 3, "starting_stack": 2.00, "seat": 6},
  {"name": "Out", "id": 7, "starting_stack": 9.00, "seat": 7},
  {"name": "Eight", "id": 4, "starting_stack": 2.86, "seat": 8}],
 "rounds": [{"id": 0, "cards": "", "street": "Preflop", "actions": [
   {"action_number": 1, "player_id": 0, "action": "Post SB", "amount": 0.01},
   {"action_number": 2, "player_id": 3, "action": "Post BB", "amount": 0.02},
   {"action_number": 3, "player_id": 3, "action": "Dealt Cards", "cards": ["Qs", "Qd"]},
   {"action_number": 4, "player_id": 4, "action": "Raise", "amount": 0.06},
   {"action_number": 5, "player_id": 0, "action": "Fold"},
   {"action_number": 6, "player_id": 3, "action": "Call", "amount": 0.04}]},
  {"id": 1, "cards": ["2c", "Ts", "9d"], "street": "Flop", "actions": [
   {"action_number": 1, "player_id": 3, "action": "Bet", "amount": 0.10},
   {"action_number": 2, "player_id": 4, "action": "Fold"}]}],
 "pots": [{"number": 0, "amount": 0.13, "rake": 0.01,
   "player_wins": [{"player_id": 3, "win_amount": 0.12}]}]}}]
"""


def only(text: str) -> HandHistory:
    (hand,) = all_read(read_hands(text.encode()))
    return hand


def test_phh_of_others() -> None:
    hand = only(PHH)
    assert [seat.name for seat in hand.seats] == ["Phil Ivey", "Patrik Antonius", "Tom Dwan"]
    assert [seat.cards for seat in hand.seats] == [("Ac", "2d"), (), ("7h", "6h")]
    assert hand.actions[-1] == (2, 2, "call", 495_000, 262_400, True)
    assert hand.returned == (0, 572_100)
    assert hand.pots == ()
    assert hand.pot == 1_109_500


def test_pokerstars_of_others() -> None:
    """Money, rake, a player who sits out, chat, a mucked hand, and odd names."""
    hand = only(POKERSTARS)
    assert [seat.name for seat in hand.seats] == ["Bob: the 2nd", "a collector", "Zoë"]
    assert [seat.number for seat in hand.seats] == [0, 2, 4]
    assert hand.seats[2].cards == ("Ah", "Kh")
    assert hand.decimals == 2
    assert [action.kind for action in hand.actions] == [
        *("raise", "fold", "call"),
        *("check", "bet", "raise", "call"),
    ]
    assert hand.actions[-2].is_all_in
    assert hand.board == ("Kd", "7c", "2h", "9h", "2c")
    assert hand.shown == ((1, ("7d", "7s"), "a full house, Sevens full of Deuces"),)
    assert (hand.won, hand.pot) == ((0, 12_050, 0), 12_350)
    assert hand.finishing_stacks == (9_950, 12_050, 18_875)


def test_open_hand_history_of_others() -> None:
    """A list of objects, a text for no cards, and seats without a player of the hand."""
    hand = only(OHH)
    assert [seat.name for seat in hand.seats] == ["One", "Hero", "Eight"]
    assert [action.kind for action in hand.actions] == ["raise", "fold", "call", "bet", "fold"]
    assert hand.returned == (1, 10)
    assert hand.finishing_stacks == (79, 206, 280)
    assert hand.started_at is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the format is none of"),
        ("hello", "the format is none of"),
        ("variant = 'NT'\n", "starting_stacks is missing"),
        ("variant = 'FT'\n", "is not NT"),
        ("variant = 'NT\n", r"hand \[1\]: Expected"),
        ("[7]\n" + PHH.replace("'p2 f'", "'p2 f', 'p9 f'"), r"hand \[7\]: 'p9' is no player"),
        (
            PHH.replace("1067100", "99067100"),
            r"Phil Ivey \(seat 1\) puts in more chips than it has",
        ),
        (PHH.replace("'d db Jh'", "'d db Ac'"), "a card is dealt twice"),
        (PHH.replace("'d db Jh'", "'d db Xx'"), "'Xx' are no cards"),
        (PHH.replace("7000", "1e999"), "is no amount"),
        (PHH.replace("'p2 f'", "'p2 sing'"), "'p2 sing' is no action"),
        ("{", "hand 1: it is no JSON"),
        ("{}", "there is no object `ohh`"),
        (OHH.replace('"dealer_seat": 8,', ""), "a field is missing or wrong: 'dealer_seat'"),
        (OHH.replace('"NL"', '"PL"'), "it is Holdem Pot Limit: only"),
        (POKERSTARS.replace("Hold'em No Limit", "Omaha Pot Limit"), "it is Omaha Pot Limit: only"),
        (POKERSTARS.replace("Table '", "Tabelle '"), "the line of the table is missing"),
        (POKERSTARS.replace("Seat 5: Z", "Seat 5: X"), "'Zoë' is not seated"),
    ],
)
def test_a_bad_file_says_where_and_why(text: str, reason: str) -> None:
    with pytest.raises(UnreadableHistory, match=reason):
        list(all_read(read_hands(text.encode())))


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(UnreadableHistory, match="no text but a Parquet file"):
        list(all_read(read_hands(b"PAR1\xff\xfe")))


@pytest.mark.parametrize("text", [PHH, POKERSTARS, OHH])
def test_damaged_files_raise_nothing_else(text: str) -> None:
    generator = random.Random(text)
    for _ in range(150):
        at = generator.randrange(len(text))
        inserted = generator.choice(("", "9", "-", "[", "{", "'", '"', "x", "\n", "e99", "null"))
        damaged = text[:at] + inserted + text[at + generator.randrange(3) :]
        with suppress(UnreadableHistory):
            for hand in all_read(read_hands(damaged.encode())):
                assert min(seat.stack for seat in hand.seats) >= 0


def test_deep_nesting_is_refused() -> None:
    """It would exhaust the stack of a reader."""
    for text in ("variant = " + "[" * 100_000, "[" * 100_000):
        with pytest.raises(UnreadableHistory):
            list(all_read(read_hands(text.encode())))


SESSIONS = json.loads((Path(__file__).parents[1] / "vectors/table_events.json").read_text())


def details() -> list[HandDetail]:
    """Return the completed hands of Hold'em of the recorded sessions."""
    found = []
    for session in SESSIONS:
        hands: dict[str, list[Any]] = {}
        for event in session["events"]:
            if event.get("handId"):
                hands.setdefault(event["handId"], []).append(event)
        for hand_id, events in hands.items():
            kinds = [event["eventType"] for event in events]
            payload = events[0].get("payload") or {}
            if kinds[0] == "hand_started" and "hand_completed" in kinds and "posted" in payload:
                found.append(detail(hand_id, events))
    return found


def detail(hand_id: str, events: list[Any]) -> HandDetail:
    summary = HandSummary(
        hand_id=hand_id,
        hand_number=events[0]["payload"]["handNumber"],
        epoch=1,
        last_sequence=99,
        timestamp=events[-1]["timestamp"],
        message="",
    )
    parsed = tuple(TableEvent.model_validate(event) for event in events)
    return HandDetail(room_id="green", hand=summary, events=parsed)


def test_hands_of_recorded_tables_can_be_written() -> None:
    """Their chips add up, and an all-in is a call or a raise."""
    hands = [history_of(item) for item in details()]
    assert len(hands) >= 6
    for hand in hands:
        assert hand.is_settled
        assert hand.started_at is not None
        for write in (phh, ohh_text, pokerstars_text):
            (back,) = all_read(read_hands(write(hand).encode()))
            assert facts(back) == facts(hand)
        assert {action.kind for action in hand.actions} <= {
            *("fold", "check", "call", "bet", "raise"),
        }
    assert any(action.is_all_in for hand in hands for action in hand.actions)


def changed(**fields: Any) -> HandDetail:
    """Return the first hand with other fields of its first payload."""
    first = details()[0]
    events = [event.model_dump(mode="json", by_alias=True) for event in first.events]
    events[0]["payload"].update(fields)
    return detail(first.hand.hand_id, events)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"state": {}, "gameType": "kuhn-poker"}, "only hands of Hold'em"),
        ({"buttonSeat": None}, "the seats or the button"),
        ({"players": []}, "the seats or the button"),
        ({"bigBlind": "2"}, "an amount of chips is missing"),
        ({"posted": []}, "the chips of its events do not add up"),
        ({"posted": [{"playerId": "nobody", "kind": "ante", "amount": 1}]}, "not dealt in"),
        ({"posted": [{"playerId": "p1", "kind": "tip", "amount": 1}]}, "unknown kind: tip"),
        ({"smallBlind": 0.123456789}, "too many decimals"),
    ],
)
def test_a_hand_that_events_leave_open_is_refused(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotExportable, match=reason):
        history_of(changed(**fields))


def test_a_hand_without_its_beginning_is_refused() -> None:
    first = details()[0]
    late = first.model_copy(update={"events": first.events[1:]})
    with pytest.raises(NotExportable, match="beginning or end"):
        history_of(late)
