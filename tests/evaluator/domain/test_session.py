"""RESET is what its table says, in every state that commands can reach."""

from dataclasses import dataclass
from typing import Literal

from casino_evaluator.domain.command import Command
from casino_evaluator.domain.session import Session
from hypothesis import given
from hypothesis import strategies as st

LEVELS = 3
CHECK = {"action_type": "CHECK"}

Step = Literal["reset", "unavailable", "on", "completed", "failed"]
"""RESET, or an ACTION: one that is not available, plays on, completes or fails the level."""
steps = st.lists(
    st.sampled_from(("reset", "unavailable", "on", "completed", "completed", "failed")), max_size=40
)


def begun() -> Session:
    return Session("guid", "key", "card", "kuhn-1")


def after(session: Session, *path: Step, competition: bool = False) -> Session:
    """Return the session after some steps; an ACTION of a session that is over changes nothing."""
    for step in path:
        if step == "reset":
            session = session.reset(competition=competition)
        elif not session.is_over:
            session = session.act(None if step == "unavailable" else CHECK)
            if step in {"completed", "failed"}:
                session = session.level_over(is_completed=step == "completed", levels=LEVELS)
    return session


@dataclass
class Model:
    """The table of the acceptance page, as short as it can be written."""

    level: int = 1
    score: int = 0
    runs: int = 1
    acted: bool = False
    state: str = "NOT_FINISHED"

    def step(self, step: Step) -> None:
        if step == "reset":
            if not self.acted:
                self.level, self.score, self.runs = 1, 0, self.runs + 1
            self.acted, self.state = False, "NOT_FINISHED"
        elif self.state == "NOT_FINISHED":
            self.acted = step != "completed"
            self.score += step == "completed"
            self.level = min(self.score + 1, LEVELS)
            self.state = {"failed": "GAME_OVER"}.get(step, self.state)
            self.state = "WIN" if self.score == LEVELS else self.state


@given(steps)
def test_any_commands_lead_where_the_table_says(path: list[Step]) -> None:
    """And the score stays within its bounds."""
    session, model = begun(), Model()
    for step in path:
        session = after(session, step)
        model.step(step)
        assert (session.level, session.score, session.run) == (
            model.level,
            model.score,
            model.runs,
        )
        assert (session.acted, session.state) == (model.acted, model.state)
        assert 0 <= session.score <= LEVELS


@given(steps)
def test_two_resets_begin_the_game_again(path: list[Step]) -> None:
    """Whatever was before."""
    session = after(begun(), *path, "reset", "reset")
    assert (session.score, session.level, session.state) == (0, 1, "NOT_FINISHED")
    assert (session.acted, session.actions) == (False, ())


@given(steps)
def test_in_competition_mode_the_game_is_never_reset(path: list[Step]) -> None:
    """The score never falls, and there is one run."""
    session = begun()
    for step in path:
        if step == "reset" and session.state == "WIN":
            continue  # refused by the service
        before = session
        session = after(session, step, competition=True)
        assert session.score >= before.score
        assert session.level >= before.level
        assert session.run == 1


def test_the_actions_of_the_level_are_kept_until_it_begins_again() -> None:
    """One that was not available cannot be played again."""
    on = after(begun(), "on", "unavailable", "on")
    assert on.actions == (CHECK, CHECK)
    assert after(on, "failed").actions == (CHECK, CHECK, CHECK)
    assert after(on, "completed").actions == ()
    assert after(on, "reset").actions == ()


def test_an_unavailable_action_counts_as_one() -> None:
    """RESET after it resets the level."""
    assert not after(begun(), "completed", "unavailable").resets_game()
    assert after(begun(), "completed").resets_game()


def test_a_command_is_echoed() -> None:
    """With the point of a click, and the reasoning as it was sent."""
    assert Command(0, reasoning="why").as_input("kuhn-1") == {
        "id": 0,
        "data": {},
        "reasoning": "why",
    }
    assert Command(6, 3, 63, {"a": [1]}).as_input("kuhn-1") == {
        "id": 6,
        "data": {"game_id": "kuhn-1", "x": 3, "y": 63},
        "reasoning": {"a": [1]},
    }
    assert Command(2).name == "ACTION2"
    assert Command(0).name == "RESET"
