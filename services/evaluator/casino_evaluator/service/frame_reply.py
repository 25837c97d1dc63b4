"""What a command answers: frames of what happened, and what can be done now."""

from dataclasses import dataclass, field
from typing import Any, Final

from casino_evaluator.domain.command import WAIT, Command
from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.domain.moment import Moment
from casino_evaluator.domain.session import Session, State
from casino_evaluator.frames.controls import available_actions
from casino_evaluator.frames.render import render
from casino_evaluator.store.recorded import Recorded

Json = dict[str, Any]
Grid = list[list[int]]

_MOST_FRAMES: Final = 64


@dataclass(frozen=True, slots=True)
class FrameReply:
    """What a command answers."""

    game_id: str
    guid: str
    frames: tuple[Grid, ...] = field(repr=False)
    state: State
    score: int
    """Completed levels of this run."""
    win_score: int
    command: Command
    available_actions: tuple[int, ...]
    full_reset: bool = False


def available(session: Session, moment: Moment) -> tuple[int, ...]:
    """Return the numbers of the actions that do something: while others decide, 7 waits."""
    if session.is_over:
        return ()
    return available_actions(moment) if moment.offers and not session.waiting else (WAIT,)


def reply_of(
    session: Session,
    game: ExaminedGame,
    command: Command,
    moments: tuple[Moment, ...],
    *,
    is_full: bool = False,
) -> FrameReply:
    """Return the answer to a command: the frames of the newest moments, at most 64."""
    return FrameReply(
        game_id=game.game_id,
        guid=session.guid,
        frames=tuple(render(moment) for moment in moments[-_MOST_FRAMES:]),
        state=session.state,
        score=session.score,
        win_score=game.win_score,
        command=command,
        available_actions=available(session, moments[-1]),
        full_reset=is_full,
    )


def recorded(reply: FrameReply) -> Recorded:
    """Return what is kept of an answer for the replay."""
    return Recorded(
        action_input=reply.command.as_input(reply.game_id),
        frames=reply.frames,
        state=reply.state,
        score=reply.score,
        available_actions=reply.available_actions,
        full_reset=reply.full_reset,
    )
