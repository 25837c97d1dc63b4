"""Authorization of a player's entrypoints by the player's key and seat tokens."""

from typing import Any

from casino_agentkit import ANYONE, Caller, GrantRule, Grants, Rule, Scheme
from casino_agentkit.authority import is_token, refusal_of
from casino_contracts import GameActionRequest, SignupInvitation
from casino_contracts.hot.action_request import AnyActionRequest

SEAT = Scheme("seatToken", "the seat token that came with `signup`")
PLAYER = Scheme(
    "playerKey",
    "this player's key (register the player by `/t/KEY/.well-known/agent-card.json`)",
)


class PlayerRules:
    """Authorization rules of one player's entrypoints.

    Without a `key` anybody may invite the player. A table that signed it up with a seat token must
    send that token; an unknown table is answered too, because the player may have been restarted
    since the signup. With a key, `signup` and `act` require the key, and `act` also the seat token.
    """

    def __init__(self, key: str | None = None) -> None:
        self._grants = Grants()
        seat = GrantRule(SEAT, self._grants, _table_of)
        self.signup_rule: Rule = _Keyed(key, PLAYER, ANYONE) if key else ANYONE
        self.act_rule: Rule = _Keyed(key, SEAT, seat) if key else seat

    def grant_seat(self, invitation: SignupInvitation) -> None:
        """Store the seat token of an accepted invitation."""
        self._grants.add(invitation.table_id, invitation.seat_token)


class _Keyed:
    """Admits callers that send the player's key and that another rule admits.

    The key is part of the URL, so that the header is free for the seat token; a caller without a
    token may send the key in the header.
    """

    def __init__(self, key: str, scheme: Scheme, rule: Rule) -> None:
        self.scheme = scheme
        self._key = key
        self._rule = rule

    def admit(self, caller: Caller, message: Any) -> None:
        """Check the key and the other rule; raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        key = caller.capability or caller.token
        if not is_token(key, self._key):
            raise refusal_of(Caller(key), PLAYER)
        self._rule.admit(caller, message)


def _table_of(request: AnyActionRequest | GameActionRequest) -> str:
    return request.table_id
