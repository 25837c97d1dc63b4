"""RESET is what its table says, in every state that commands can reach."""

from dataclasses import dataclass
from typing import Literal

from casino_evaluator.domain.evaluation_session import EvaluationSession
from hypothesis import given
from hypothesis import strategies as st

LEVELS = 3
CHECK = {"action_type": "CHECK"}

Step = Literal["reset", "unavailable", "on", "completed", "failed"]
"""RESET, or an ACTION: one that is not available, plays on, completes or fails the level."""
steps = st.lists(
    st.sampled_from(("reset", "unavailable", "on", "completed", "completed", "failed")), max_size=40
)


def begun() -> EvaluationSession:
    return EvaluationSession("guid", "key", "card", "kuhn-1")


def after(session: EvaluationSession, *path: Step, competition: bool = False) -> EvaluationSession:
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
def test_in_competition_mode_the_game_is_never_reset(path: list[Step]) -> None:
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
    on = after(begun(), "on", "unavailable", "on")
    assert on.actions == (CHECK, CHECK)
    assert after(on, "failed").actions == (CHECK, CHECK, CHECK)
    assert after(on, "completed").actions == ()
    assert after(on, "reset").actions == ()
