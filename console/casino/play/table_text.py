"""Draws a match of any game as lines of text, from what its agent may know."""

from collections.abc import Sequence

from casino.formatting import sanitize
from casino.play.choices import Choice
from casino.play.messages import MatchState
from casino.public_state import facts_of, game_words

RULE = "─" * 60


def table_lines(match: MatchState, own_id: str, game: str) -> list[str]:
    """Return the table: hand, everybody's public facts, and one's own cards."""
    names = {
        agent_id: f"{name} (you)" if agent_id == own_id else name
        for agent_id, name in match.names().items()
    }
    data = match.state.data
    hand = f"hand {data.hand_number}" if data.hand_number is not None else match.phase
    title = ", ".join(dict.fromkeys((game_words(game) or "hold'em", hand, match.phase)))
    lines = [RULE, title]
    lines += _facts(facts_of(data.public, names))
    own = facts_of(data.private, names)
    lines += [f"  yours: {label} {text}" for label, text in own.items()]
    return [sanitize(line) for line in lines]


def result_lines(match: MatchState) -> list[str]:
    """Return the result of the newest hand, no line without one."""
    result = match.state.data.result
    facts = facts_of(result, match.names()) if result is not None else {}
    return [sanitize(line) for line in _facts(facts)]


def choice_lines(choices: Sequence[Choice]) -> list[str]:
    """Return the choices with their numbers."""
    return [sanitize(f"  {number}) {choice}") for number, choice in enumerate(choices, 1)]


def _facts(facts: dict[str, str]) -> list[str]:
    width = max(map(len, facts), default=0)
    return [f"  {label:<{width}}  {text}" for label, text in facts.items()]
