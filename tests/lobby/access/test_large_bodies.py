"""Who may send the lobby more than 64 KiB."""

from casino_agentkit import Caller
from casino_lobby.access.lobby_rules import TableTokens
from casino_lobby.access.request_budget import RequestBudget
from support.casino.store_side import new_room


def tokens(per_minute: int = 60) -> tuple[TableTokens, str, list[int]]:
    """Return the tokens of a lobby with one room, that of its table, and a list of searches."""
    room = new_room()
    room.secret = "a secret of 16 or more characters"
    searches: list[int] = []

    def rooms() -> list[object]:
        searches.append(1)
        return [room]

    budget = RequestBudget(per_minute, lambda: 0.0)
    return TableTokens(rooms, budget), room.key().events, searches  # type: ignore[arg-type]


def test_a_table_may_and_its_token_is_looked_for_once() -> None:
    known, token, searches = tokens()
    assert known.has(Caller(token, "192.0.2.1"))
    assert known.has(Caller(token, "192.0.2.1"))
    assert len(searches) == 1


def test_others_may_not_and_pays_for_asking() -> None:
    """Without a token nothing is looked for; with any, as often as it may command."""
    known, _, searches = tokens(per_minute=3)
    assert not known.has(Caller("", "192.0.2.1"))
    assert len(searches) == 0
    for number in range(20):
        assert not known.has(Caller(f"any token {number}", "192.0.2.1"))
    assert len(searches) == 3
