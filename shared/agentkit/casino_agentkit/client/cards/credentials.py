"""Credentials that another agent asks for: the schemes on its card, and the refusal they become."""

from typing import Final

from casino_agentkit.bounds import shown
from casino_agentkit.client.cards.card import Card
from casino_agentkit.errors import KitReason, ProtocolFault, RemoteRefused

_STATUSES: Final = frozenset({401, 403})
_MAX_NAMED: Final = 4
_NAME_SHOWN, _SAID_SHOWN = 64, 200


def schemes_of(card: Card) -> str:
    """Return the names and kinds of a card's security schemes as one bounded line, "" if none."""
    named = sorted(card.security_schemes)[:_MAX_NAMED]
    listed = [_described(name, card.security_schemes[name]) for name in named]
    more = len(card.security_schemes) - len(listed)
    return ", ".join(listed) + (f" and {more} more" if more else "")


def _described(name: str, kind: str) -> str:
    return f"'{shown(name, _NAME_SHOWN)}' ({shown(kind, _NAME_SHOWN)})"


def refusal_of(fault: ProtocolFault, schemes: str) -> RemoteRefused | None:
    """Return the refusal behind HTTP status 401 or 403; None if the card names no scheme."""
    if fault.status not in _STATUSES or not schemes:
        return None
    return credentials_asked(fault.agent, fault.status, schemes, fault.said)


def credentials_asked(agent: str, code: int, schemes: str, said: str) -> RemoteRefused:
    """Return the refusal of an agent that asks for credentials, with what it said."""
    quoted = f"; it says: {shown(said, _SAID_SHOWN)}" if said else ""
    return RemoteRefused(
        agent,
        f"it asks for credentials, which are not sent to it: its card names"
        f" {schemes or 'no security scheme'}{quoted}",
        code=code,
        reason=KitReason.CREDENTIALS_REQUIRED,
    )
