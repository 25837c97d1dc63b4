"""Tests at a table of the casino, in one process: `pytest`, where the casino is installed."""

from bot import act


def test_a_table_plays_every_answer(casino_table) -> None:
    assert not casino_table.faults(act)  # sixty questions of every kind, and some again


def test_a_request_that_is_sent_again_gets_the_same_answer(casino_table) -> None:
    for question in casino_table.questions():
        assert question.answer_of(act) == question.answer_of(act), question.kind


def test_it_plays_without_a_fault(casino_table) -> None:
    played = casino_table.play(act, "tight", "maniac", "random", hands=200)
    assert not played.faults
