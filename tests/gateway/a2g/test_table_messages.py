"""What happens at a table, as messages: results in order, amounts in whole chips."""

from casino_contracts import TableConfig, TableEvent
from casino_gateway.a2g.a2g_table_messages import TableMessages
from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import Answered, Dealt, Expired, HandOver, RoomEvent
from casino_seats.turns import question_of
from support.gateway.seat_side import CONFIG, event, request

RESULT = {"scores": {"ada": 1, "bob": -1}, "winner": "ada", "winners": ["ada"], "totalRake": 0}


def messages(game_type: str = "kuhn_poker", **config: float) -> TableMessages:
    written = {**CONFIG.model_dump(mode="json", by_alias=True, exclude_none=True), **config}
    return TableMessages(Match("room", game_type, TableConfig.model_validate(written)))


def completed(number: int) -> TableEvent:
    payload = {"handNumber": number, "result": RESULT, "stacks": []}
    return event(number, "hand_completed", payload)


def test_a_result_is_sent_once() -> None:
    table = messages()
    first = table.of(HandOver("room/1", 1, RESULT), 0)
    assert [draft.kind for draft in first] == ["round_result"]
    assert first[0].payload["winners"] == [
        {"playerId": "ada", "grossAmount": 1, "rake": 0, "netAmount": 1}
    ]
    assert [draft.kind for draft in table.of(RoomEvent(completed(1)), 0)] == ["table_event"]
    kinds = [draft.kind for draft in table.of(RoomEvent(completed(2)), 0)]
    assert kinds == ["round_result", "table_event"]
    assert not table.of(HandOver("room/2", 2, RESULT), 0)


def test_a_question_waits_for_the_result_before_it() -> None:
    table = messages()
    first = question_of(request(1, hand_number=1), 1, 0, 0.25)
    second = question_of(request(2, hand_number=2), 2, 0, 0.25)
    table.of(Dealt("room/1", 1, {}), 0)
    assert table.has_results_before(first)
    table.request(first, 0)
    assert not table.has_results_before(second)
    table.of(HandOver("room/1", 1, RESULT), 0)
    assert table.has_results_before(second)
    table.request(second, 0)


def test_a_late_result_interrupts_no_question() -> None:
    """It is sent once the question of the later hand is answered, or over; never twice."""
    table = messages()
    for number, end, kinds in (
        (2, Answered, ["round_result"]),
        (3, Expired, ["game_error", "round_result"]),
    ):
        question = question_of(request(number, hand_number=number), number, 0, 0.25)
        table.request(question, 0)
        assert not table.of(HandOver(f"room/{number - 1}", number - 1, RESULT), 0)
        drafts = table.of(RoomEvent(completed(number - 1)), 0)
        assert [draft.kind for draft in drafts] == ["table_event"]
        update = Answered(question, {}) if end is Answered else Expired(question)
        drafts = table.of(update, 0)
        assert [draft.kind for draft in drafts] == kinds
        assert drafts[-1].extra["handNumber"] == number - 1
        assert [draft.kind for draft in table.of(update, 0)] == kinds[:-1]
    assert [draft.kind for draft in table.of(HandOver("room/3", 3, RESULT), 0)] == ["round_result"]


def test_amounts_of_holdem_are_whole_chips() -> None:
    """As the Action Schema has them; only a bet and a raise have one."""
    table = messages("texas-holdem", smallBlind=0.5)
    for action, amount, payload in (
        ("raise", 4.5, {"action": "raise", "amount": 45}),
        ("call", 4.5, {"action": "call"}),
        ("all-in", 99.5, {"action": "all-in"}),
        ("fold", None, {"action": "fold"}),
    ):
        said = {"handNumber": 1, "playerId": "bob", "action": action, "amount": amount}
        (draft,) = table.of(RoomEvent(event(1, "action_taken", said)), 0)
        assert draft.payload == payload
        assert draft.extra["playerId"] == "bob"
