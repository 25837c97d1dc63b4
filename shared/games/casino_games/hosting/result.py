"""How a game came out: its result, and the ranking of a game that is played for points."""

from typing import NamedTuple

from casino_games.game import Game, Json
from casino_games.specification import result_of


class Rank(NamedTuple):
    """A player's points and place: 1 is the best, and players may share one."""

    player_id: str
    points: float
    place: int


def ranking(game: Game) -> list[Rank]:
    """Return the ranking of a game played for points, best first.

    Whom the game names as winner is first, whatever the points; the others follow by their points.
    """
    scores = game.get_scores()
    first = _named_winners(game)
    order = sorted(scores, key=lambda player_id: (player_id not in first, -scores[player_id]))
    ranks: list[Rank] = []
    for number, player_id in enumerate(order, start=1):
        before = ranks[-1] if ranks else None
        is_tie = before is not None and (
            (before.player_id in first) == (player_id in first)
            and (player_id in first or before.points == scores[player_id])
        )
        place = before.place if before is not None and is_tie else number
        ranks.append(Rank(player_id, scores[player_id], place))
    return ranks


def result_for_points(game: Game) -> Json:
    """Return the result of a game played for points; `winners` are those of place 1."""
    best = [rank.player_id for rank in ranking(game) if rank.place == 1]
    return {
        **result_of(game),
        "winners": [player for player in game.get_players() if player in best],
    }


def _named_winners(game: Game) -> list[str]:
    winner = game.get_winner()
    if winner is None:
        return []
    return (game.get_teams() or {}).get(winner, [winner])
