"""Who may invite a player, and whom it answers."""

from typing import Any

from casino_agentkit import ANYONE, Caller, GrantRule, Grants, Rule, Scheme
from casino_agentkit.authority import is_token, refusal_of
from casino_contracts import ActionRequest, GameActionRequest, SignupInvitation

SEAT = Scheme("seatToken", "the seat token that came with `signup`")
PLAYER = Scheme(
    "playerKey",
    "this player's key (register the player by `/t/KEY/.well-known/agent-card.json`)",
)


class PlayerRules:
    """The rules of one player's entrypoints.

    Without a `key` anybody may invite the player: to a table that signed it up with a seat token it
    then answers by that token only; other tables it answers too, for it may have been restarted
    since they signed it up. With a key, `signup` and `act` need the key, and `act` the seat token
    too: only who was given the player's address can make it think.
    """

    def __init__(self, key: str | None = None) -> None:
        self._grants = Grants()
        seat = GrantRule(SEAT, self._grants, _table_of)
        self.inviting: Rule = _Keyed(key, PLAYER, ANYONE) if key else ANYONE
        self.asking: Rule = _Keyed(key, SEAT, seat) if key else seat

    def invited(self, invitation: SignupInvitation) -> None:
        """Keep the seat token of an accepted invitation."""
        self._grants.add(invitation.table_id, invitation.seat_token)


class _Keyed:
    """Lets callers pass that show the player's key, and that another rule lets pass.

    The key stands in the address, so that the header is free for the seat token; a caller that has
    no token may send the key in the header.
    """

    def __init__(self, key: str, scheme: Scheme, rule: Rule) -> None:
        self.scheme = scheme
        self._key = key
        self._rule = rule

    def admit(self, caller: Caller, message: Any) -> None:
        """Compare the key, ask the other rule; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        shown = caller.capability or caller.token
        if not is_token(shown, self._key):
            raise refusal_of(Caller(shown), PLAYER)
        self._rule.admit(caller, message)


def _table_of(request: ActionRequest | GameActionRequest) -> str:
    return request.table_id
