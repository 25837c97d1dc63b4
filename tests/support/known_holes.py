"""Attacks that a casino as delivered does not withstand yet, and what will end each.

A test that meets one expects it to succeed; when it is refused, that test fails, and the line goes.
"""

KNOWN_HOLES = {
    "command-over-rest": "the operator key on REST",
    "call-table-as-player": "the operator key on REST",
    "invite-elsewhere": "the operator key on REST",
    "command-from-foreign-page": "the operator key on REST, and the check of the origin",
    "rebind-host": "the check of the Host header",
    "hold-idle-connections": "the server's limits",
    "send-slow-header": "the server's limits",
    "send-endless-header": "the server's limits",
    "hold-many-streams": "the server's limits",
    "send-deep-body": "faults of the SDK's bindings in plain words",
    "sign-up-with-a-page": "bounds of what comes back from players",
    "sign-up-as-another": "names that look the same are told apart",
    "question-player-elsewhere": "a player that has a seat token answers no unknown table",
    "invite-seated-player": "a table's first seat token is not joined or displaced by another's",
}
"""Attack -> the defence that is to come."""
