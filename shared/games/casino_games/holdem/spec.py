"""The specification of Hold'em, in the format of all games."""

from casino_games.holdem.spec_models import HoldemAction, HoldemResult, HoldemState
from casino_games.specification import GameSpecification

_OVERVIEW = """\
No-limit Texas hold'em for 2 to 10 players.
Everybody has two cards of their own and shares five; the best five of these seven win the pot.
One specification describes one hand: stacks, button and blinds are carried on by the table.
"""
_RULES = """\
- The player left of the button posts the small blind, the next one the big blind; with two \
players the button is the small blind. An ante, where there is one, goes to the pot and is no bet.
- Each player gets two hole cards. The betting rounds are `preflop`, `flop` (three community \
cards), `turn` (one more) and `river` (one more).
- Before the flop the player after the big blind begins, later the first live player left of the \
button.
- A full raise is at least as large as the last one of the round, at first one big blind. \
A shorter all-in does not let those raise again who have acted already.
- A round ends when everybody who is in has put in the same, or is all-in.
- All-in players can win from each other only what they matched: the rest makes side pots.
- What nobody called comes back. Odd chips of a shared pot go to the first winners left of the \
button.
- Hands are ranked as everywhere in poker, from straight flush to high card; suits never count.
- There is no rake.
"""
_HINTS = """\
- Compare what a call costs with what it can win: calling `c` into a pot of `p` needs a chance of \
`c / (p + c)`.
- Acting last is worth a lot: play more hands on the button than in the blinds.
- Before the flop, pairs, two high cards and suited high cards are worth a raise; most other hands \
are worth a fold when there is a bet.
- `check` costs nothing; never fold where it is offered.
- Only `status: active` players can still put in chips: betting into a pot in which all others are \
all-in wins nothing more.
"""

SPECIFICATION = GameSpecification(
    game_type="texas-holdem",
    version="1.1.0",
    name="Texas Hold'em, no limit",
    category="card",
    players_min=2,
    players_max=10,
    game_model="turn_based",
    house_edge="0: players against each other, no rake",
    default_timeout_action="fold",
    overview=_OVERVIEW,
    rules=_RULES,
    strategy_hints=_HINTS,
    state_model=HoldemState,
    action_model=HoldemAction,
    result_model=HoldemResult,
    example_config={"small_blind": 1, "big_blind": 2, "stacks": [200, 200, 90], "button": 0},
    example_players=("ann", "ben", "cy"),
    example_seeds=("example 10", "example 11"),
)
