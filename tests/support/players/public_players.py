"""What everybody may do at a sample player without a key."""

TAKES_EVERY_INVITATION = frozenset(
    {
        "question-player-elsewhere",
        "invite-seated-player",
        "question-player",
        "repeat-question",
    }
)
"""Attacks that succeed on a seated player without a key (`CASINO_PLAYER_KEY`), and on no other.

Such a player cannot tell an attacker from a casino that it does not know yet. It shows the attacker
how it plays made-up hands, but neither its cards nor what it answered to its table.
"""
