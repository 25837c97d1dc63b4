"""Scorecards as JSON: today's shape and the one before it in one body. Pure.

Both generations of names and both shapes are there, because clients of either read the same
answer: `environments` with their runs, and `cards` by game. Source: the public ARC-AGI-3 API
(`arc-agi` 0.9.9, and its client 0.9.2 before it).
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from casino_evaluator.domain.scorecard import HandSums, Run, Scorecard, mean

Json = dict[str, Any]
_SHOWN_OF_KEY = 16
_HANDS = 100


def summary(card: Scorecard) -> Json:
    games = _by_game(card)
    environments = [_environment(game_id, runs) for game_id, runs in games.items()]
    optional = {
        "source_url": card.source_url,
        "opaque": card.opaque,
        "seed": card.seed,
        "closed_at": None if card.closed_at is None else _time(card.closed_at),
    }
    return {
        "card_id": card.card_id,
        "score": mean([environment["score"] for environment in environments]),
        **{name: value for name, value in optional.items() if value is not None},
        "tags": list(card.tags),
        "user_name": "",
        "user_id": card.key[:_SHOWN_OF_KEY],
        "open_at": _time(card.opened_at),
        "last_update": _time(card.updated_at),
        "competition_mode": card.competition_mode,
        "total_environments": len(environments),
        "total_environments_completed": sum(each["completed"] for each in environments),
        "total_levels": sum(each["level_count"] for each in environments),
        "total_levels_completed": sum(each["levels_completed"] for each in environments),
        "tags_scores": [],
        "environments": environments,
        **_totals(card),
        "cards": {game_id: _game_card(game_id, runs) for game_id, runs in games.items()},
    }


def game_summary(card: Scorecard, game_id: str) -> Json:
    """Return the card of one game, with the totals of the whole scorecard beside it."""
    runs = _by_game(card).get(game_id)
    return {**_totals(card), "cards": {} if runs is None else {game_id: _game_card(game_id, runs)}}


def listing(card: Scorecard) -> Json:
    """Return a scorecard without its results, for a list."""
    return {
        "card_id": card.card_id,
        "tags": list(card.tags),
        "source_url": card.source_url,
        "competition_mode": card.competition_mode,
        "seed": card.seed,
        "open_at": _time(card.opened_at),
        "last_update": _time(card.updated_at),
        "closed_at": None if card.closed_at is None else _time(card.closed_at),
    }


def _by_game(card: Scorecard) -> dict[str, list[Run]]:
    games: dict[str, list[Run]] = {}
    for run in card.runs:
        games.setdefault(run.game_id, []).append(run)
    return dict(sorted(games.items()))


def _totals(card: Scorecard) -> Json:
    games = _by_game(card).values()
    return {
        "won": sum(any(run.completed for run in runs) for runs in games),
        "played": len(games),
        "levels_completed": sum(max(run.score for run in runs) for runs in games),
        "total_actions": sum(run.actions for run in card.runs),
    }


def _environment(game_id: str, runs: Sequence[Run]) -> Json:
    return {
        "id": game_id,
        "title": runs[0].title,
        "score": max(run.percent for run in runs),
        "actions": sum(run.actions for run in runs),
        "levels_completed": max(run.score for run in runs),
        "completed": any(run.completed for run in runs),
        "level_count": max(len(run.levels) for run in runs),
        "resets": sum(run.resets for run in runs),
        "runs": [_run(run) for run in runs],
        "casino": _casino(runs),
    }


def _run(run: Run) -> Json:
    return {
        "id": run.game_id,
        "guid": run.guid,
        "score": run.percent,
        "levels_completed": run.score,
        "actions": run.actions,
        "resets": run.resets,
        "state": run.state,
        "completed": run.completed,
        "level_scores": run.level_scores,
        "level_actions": [level.actions for level in run.levels],
        "level_baseline_actions": list(run.baselines),
        "number_of_levels": len(run.levels),
        "number_of_environments": 1,
    }


def _game_card(game_id: str, runs: Sequence[Run]) -> Json:
    scores = [run.score for run in runs]
    return {
        "game_id": game_id,
        "total_plays": len(runs),
        "guids": [run.guid for run in runs],
        "scores": scores,
        "levels_completed": scores,
        "states": [run.state for run in runs],
        "actions": [run.actions for run in runs],
        "actions_by_level": [_actions_by_level(run) for run in runs],
        "resets": [run.resets for run in runs],
        "total_actions": sum(run.actions for run in runs),
    }


def _actions_by_level(run: Run) -> list[list[int]]:
    """Return each completed level with the run's actions up to its end."""
    reached: list[list[int]] = []
    actions = 0
    for number in range(1, run.score + 1):
        actions += run.levels[number - 1].actions
        reached.append([number, actions])
    return reached


def _casino(runs: Sequence[Run]) -> Json:
    """Return what the public API does not count: chips, and decisions that nobody made."""
    levels = [level for run in runs for level in run.levels]
    hands = HandSums()
    for level in levels:
        hands = hands.plus(level.hands)
    decisions = sum(level.actions - level.resets for level in levels)
    unavailable = sum(level.unavailable for level in levels)
    big_blind = runs[0].big_blind
    interval = hands.interval
    return {
        "hands": hands.hands,
        "chips": hands.chips,
        "chips_per_hand": hands.chips_per_hand,
        "bb_per_100": _bb_per_100(hands.chips_per_hand, big_blind),
        "bb_per_100_interval_95": interval
        and [_bb_per_100(bound, big_blind) for bound in interval],
        "decisions": decisions,
        "unavailable_actions": unavailable,
        "unavailable_share": unavailable / decisions if decisions else None,
        "opponent_defaults": hands.opponent_defaults,
    }


def _bb_per_100(chips_per_hand: float | None, big_blind: int) -> float | None:
    if chips_per_hand is None or big_blind <= 0:
        return None
    return chips_per_hand / big_blind * _HANDS


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
