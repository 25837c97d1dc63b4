"""Scorecards count commands: totals are the sums over a log, whatever the commands are."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import pytest
from casino_evaluator.domain.evaluation_session import EvaluationSession
from casino_evaluator.domain.levels import ExaminedGame, Level
from casino_evaluator.domain.scorecard import CountedCommand, HandSums, Kind, Run, Scorecard
from casino_evaluator.domain.scorecard_summary import game_summary, summary
from hypothesis import given
from hypothesis import strategies as st

LEVELS = 3


def game(prefix: str = "kuhn") -> ExaminedGame:
    levels = tuple(Level("caller", 6, 100, baseline) for baseline in (4, 6, 8))
    return ExaminedGame(prefix, "kuhn_poker", prefix.upper(), 100, 1, 2, levels)


@dataclass(frozen=True)
class Entry:
    """One line of the log: a command, and what it led to."""

    guid: str
    kind: str
    score: int
    state: str
    available: bool = True


STEPS = st.lists(st.sampled_from(["act", "odd", "win", "lose", "reset"]), max_size=40)
"""An ACTION that is available or not, or ends its level well or badly, or a RESET."""


def played(guid: str, steps: Sequence[str], of: ExaminedGame) -> tuple[list[Run], list[Entry]]:
    """Return the runs of a session by the rules of sessions, and its log."""
    session = EvaluationSession(guid, "k", "card", of.game_id)
    runs, log = [Run.begun(of, guid)], [Entry(guid, "start", 0, "NOT_FINISHED")]
    for step in steps:
        before = session.level
        kind: Kind = "action"
        if step == "reset":
            kind = "full_reset" if session.resets_game() else "level_reset"
            session = session.reset()
        elif session.is_over:
            continue
        else:
            session = session.act(None if step == "odd" else {})
            if step in {"win", "lose"}:
                session = session.level_over(is_completed=step == "win", levels=LEVELS)
        if kind == "full_reset":
            runs.append(runs[-1].again())
        else:
            count = CountedCommand(
                before, kind, session.score, session.state, available=step != "odd"
            )
            runs[-1] = runs[-1].counted(count)
        log.append(Entry(guid, kind, session.score, session.state, step != "odd"))
    return runs, log


@given(st.lists(STEPS, min_size=1, max_size=4))
def test_totals_are_the_sums_over_the_log(sessions: list[list[str]]) -> None:
    """Actions with level resets, resets, states and levels of every run; EV-27."""
    runs, log = [], list[Entry]()
    for number, steps in enumerate(sessions):
        more, entries = played(f"guid-{number}", steps, game("kuhn" if number % 2 else "ledu"))
        runs += more
        log += entries
    card = summary(Scorecard("card", "k" * 64, 0.0, 0.0, runs=tuple(runs)))
    by_run = list[list[Entry]]()
    for entry in log:
        if entry.kind in {"start", "full_reset"}:
            by_run.append([])
        by_run[-1].append(entry)
    flat = [run for each in card["environments"] for run in each["runs"]]
    assert len(flat) == len(by_run)
    expected = sorted(
        (
            entries[0].guid,
            sum(entry.kind in {"action", "level_reset"} for entry in entries),
            sum(entry.kind == "level_reset" for entry in entries),
            entries[-1].score,
            entries[-1].state,
        )
        for entries in by_run
    )
    assert expected == sorted(
        (run["guid"], run["actions"], run["resets"], run["levels_completed"], run["state"])
        for run in flat
    )
    assert card["total_actions"] == sum(entry[1] for entry in expected)
    assert all(sum(run["level_actions"]) == run["actions"] for run in flat)
    for each in card["environments"]:
        assert each["actions"] == sum(run["actions"] for run in each["runs"])
        assert each["resets"] == sum(run["resets"] for run in each["runs"])
        assert each["score"] == max(run["score"] for run in each["runs"])
        assert each["levels_completed"] == max(run["levels_completed"] for run in each["runs"])
        assert 0 <= each["score"] <= 100
    odd = sum(not entry.available for entry in log)
    assert odd == sum(each["casino"]["unavailable_actions"] for each in card["environments"])
    assert sum(entry.kind == "action" for entry in log) == sum(
        each["casino"]["decisions"] for each in card["environments"]
    )


def test_hands_of_all_attempts_count_once() -> None:
    """Those of an attempt are sent again and again while it lasts."""
    run = Run.begun(game(), "guid")
    shown: list[tuple[int, ...]] = [(), (5,), (5, -3)]
    for hands in shown:
        sums = HandSums.of(hands, opponent_defaults=len(hands))
        run = run.counted(CountedCommand(1, "action", 0, "NOT_FINISHED", hands=sums))
    assert run.levels[0].hands == HandSums(2, 2, 34, 2)
    sums = HandSums.of((5, -3, 1), 2)
    run = run.counted(CountedCommand(1, "level_reset", 0, "NOT_FINISHED", hands=sums))
    sums = HandSums.of((5,), 1)
    run = run.counted(CountedCommand(1, "action", 0, "NOT_FINISHED", hands=sums))
    assert run.levels[0].hands == HandSums(4, 8, 60, 3)
    assert (run.actions, run.resets) == (5, 1)
    run = run.counted(CountedCommand(1, "level_reset", 0, "NOT_FINISHED"))  # its room was closed
    assert run.levels[0].hands == HandSums(4, 8, 60, 3)
    with pytest.raises(ValueError, match="another run"):
        run.counted(CountedCommand(1, "full_reset", 0, "NOT_FINISHED"))


def test_chips_have_a_mean_and_an_interval() -> None:
    run = Run.begun(game(), "guid").agent_level(
        1, actions=9, not_own=2, hands=HandSums.of((4, -2, 4, -2), 3), completed=True
    )
    (environment,) = summary(Scorecard("c", "k", 0, 0, runs=(run,)))["environments"]
    casino = environment["casino"]
    reach = 1.96 * sqrt(12 / 4) * 50
    low, high = casino.pop("bb_per_100_interval_95")
    assert (low, high) == pytest.approx((50 - reach, 50 + reach))
    assert casino == {
        "hands": 4,
        "chips": 4,
        "chips_per_hand": 1.0,
        "bb_per_100": 50.0,
        "decisions": 9,
        "unavailable_actions": 2,
        "unavailable_share": 2 / 9,
        "opponent_defaults": 3,
    }
    (empty,) = summary(Scorecard("c", "k", 0, 0, runs=(Run.begun(game(), "guid"),)))["environments"]
    assert [name for name, value in empty["casino"].items() if value is None] == [
        "chips_per_hand",
        "bb_per_100",
        "bb_per_100_interval_95",
        "unavailable_share",
    ]
    assert HandSums.of((7,)).interval is None


def test_both_shapes_and_both_generations_are_in_one_body() -> None:
    """Today's environments, and the cards of the client before it."""
    first = Run.begun(game(), "guid").agent_level(
        1, actions=8, not_own=0, hands=HandSums.of((1,)), completed=True
    )
    runs = (first.counted(CountedCommand(2, "level_reset", 1, "NOT_FINISHED")), first.again())
    card = Scorecard("c", "k" * 64, 0, 1, closed_at=2, tags=("agent",), seed="s", runs=runs)
    body = summary(card)
    game_id = game().game_id
    assert {
        key: value for key, value in body.items() if key not in {"environments", "cards", "score"}
    } == {
        "card_id": "c",
        "seed": "s",
        "tags": ["agent"],
        "user_name": "",
        "user_id": "k" * 16,
        "open_at": "1970-01-01T00:00:00Z",
        "last_update": "1970-01-01T00:00:01Z",
        "closed_at": "1970-01-01T00:00:02Z",
        "competition_mode": False,
        "total_environments": 1,
        "total_environments_completed": 0,
        "total_levels": 3,
        "total_levels_completed": 1,
        "total_actions": 9,
        "levels_completed": 1,
        "tags_scores": [],
        "won": 0,
        "played": 1,
    }
    assert body["score"] == pytest.approx(25 / 6)
    of_game = {
        "game_id": game_id,
        "total_plays": 2,
        "guids": ["guid", "guid"],
        "scores": [1, 0],
        "levels_completed": [1, 0],
        "states": ["NOT_FINISHED", "NOT_FINISHED"],
        "actions": [9, 0],
        "actions_by_level": [[[1, 8]], []],
        "resets": [1, 0],
        "total_actions": 9,
    }
    assert body["cards"] == {game_id: of_game}
    assert body["environments"][0]["runs"][0] == {
        "id": game_id,
        "guid": "guid",
        "score": pytest.approx(25 / 6),
        "levels_completed": 1,
        "actions": 9,
        "resets": 1,
        "state": "NOT_FINISHED",
        "completed": False,
        "level_scores": [25.0, 0.0, 0.0],
        "level_actions": [8, 1, 0],
        "level_baseline_actions": [4, 6, 8],
        "number_of_levels": 3,
        "number_of_environments": 1,
    }
    totals = {"won": 0, "played": 1, "levels_completed": 1, "total_actions": 9}
    assert game_summary(card, game_id) == {**totals, "cards": {game_id: of_game}}
    assert game_summary(card, "none") == {**totals, "cards": {}}
