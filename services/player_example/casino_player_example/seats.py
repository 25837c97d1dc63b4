"""Whom a player answers: at a table that signed it up with a token, only that table."""

from casino_agentkit import GrantRule, Grants, Rule, Scheme
from casino_contracts import ActionRequest, GameActionRequest

SEAT = Scheme("seatToken", "the seat token that came with `signup`")


def seat_rule(grants: Grants) -> Rule:
    """Return the rule of `act`, for the tokens that `signup` puts into `grants`."""

    def table_of(request: ActionRequest | GameActionRequest) -> str:
        return request.table_id

    return GrantRule(SEAT, grants, table_of)
