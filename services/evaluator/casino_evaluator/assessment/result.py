"""Result of an assessment: `EvalResult` of AgentBeats, with what each participant reached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from casino_evaluator.assessment.request import DRAW, Assessment
from casino_evaluator.domain.levels import ExaminedGame
from casino_evaluator.domain.scorecard import Run
from casino_evaluator.play.level_run import AgentLevel, LevelEnd

Json = dict[str, Any]
_SCORE_DIGITS = 6


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """How a participant played one game."""

    run: Run
    message: str = ""
    """Why it was not played to its end; "" if it was."""

    def after(self, level: int, played: AgentLevel) -> "GamePlayed":
        """Return it with one level more."""
        run = self.run.agent_level(
            level,
            actions=played.actions,
            not_own=played.not_own,
            hands=[hand.net for hand in played.hands],
            completed=played.end is LevelEnd.COMPLETED,
        )
        return replace(self, run=run)

    def as_json(self) -> Json:
        """Return it for the result."""
        levels = self.run.levels
        shown: Json = {
            "state": self.run.state,
            "score": round(self.run.percent, _SCORE_DIGITS),
            "levels_completed": self.run.score,
            "levels": len(levels),
            "actions": self.run.actions,
            "not_own_actions": sum(level.unavailable for level in levels),
            "hands": sum(level.hands.hands for level in levels),
            "chips": sum(level.hands.chips for level in levels),
        }
        return {**shown, "message": self.message} if self.message else shown


def begun(game: ExaminedGame, guid: str) -> GamePlayed:
    """Return a game of which nothing is played yet."""
    return GamePlayed(Run.begun(game, guid))


def eval_result(
    assessment: Assessment,
    played: Mapping[str, Sequence[GamePlayed]],
    cards: Mapping[str, Json],
) -> Json:
    """Return the EvalResult: `winner`, a role or `draw`, and `detail`.

    `cards` are the participants' scorecards; the highest score of a card wins.
    """
    scores = {role: round(card["score"], _SCORE_DIGITS) for role, card in cards.items()}
    best = [role for role, score in scores.items() if score == max(scores.values())]
    return {
        "winner": best[0] if len(best) == 1 else DRAW,
        "detail": {
            "seed": assessment.seed,
            "participants": {
                role: {
                    "score": scores[role],
                    "card_id": cards[role]["card_id"],
                    "games": {game.run.game_id: game.as_json() for game in games},
                }
                for role, games in played.items()
            },
        },
    }


def sentence(result: Json) -> str:
    """Return the result in one sentence.

    >>> participants = {"a": {"score": 2.5}, "b": {"score": 0}}
    >>> sentence({"winner": "a", "detail": {"participants": participants}})
    'Winner: a. Scores of 100: a 2.5, b 0.'
    """
    participants = result["detail"]["participants"]
    scores = ", ".join(
        f"{role} {participant['score']:g}" for role, participant in participants.items()
    )
    return f"Winner: {result['winner']}. Scores of 100: {scores}."
