"""Who may call a player: whoever has its key, where it has one."""

from casino_agentkit import ANYONE, AddressKeyRule, Rule, Scheme

PLAYER = Scheme(
    "playerKey",
    "this player's key (register the player by `/t/KEY/.well-known/agent-card.json`)",
)


def player_rule(key: str | None) -> Rule:
    """Return the rule of `signup` and `act`; without a `key` anybody may call both.

    Only the key admits. The seat token of a call names whose answers are kept and repeated
    (`IdempotencyCache`), so no invitation changes anything for the tables of other tokens.
    """
    return AddressKeyRule(PLAYER, key) if key else ANYONE
