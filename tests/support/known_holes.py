"""Attacks that a casino as delivered does not withstand yet, and what will end each.

A test that meets one expects it to succeed; when it is refused, that test fails, and the line goes.
"""

KNOWN_HOLES = {
    "send-deep-body": "faults of the SDK's bindings in plain words",
    "question-player-elsewhere": "a player that has a seat token answers no unknown table",
    "invite-seated-player": "a table's first seat token is not joined or displaced by another's",
}
"""Attack -> the defence that is to come."""
