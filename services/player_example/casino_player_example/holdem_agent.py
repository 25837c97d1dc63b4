"""The agent of a player of Hold'em, and a player's part in fair deals.

A player contributes to the deal, and checks its hole cards before it decides. A hand with other
cards than the table committed to is refused with the reason UNFAIR_DEAL each time that the table
asks; the table then decides by default, and everybody sees why. In any other game a question has no
proof, so a player contributes only.
"""

import asyncio
from datetime import timedelta

from casino_agentkit import Agent, Contributor, IdempotencyCache, Rule, caller
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    CardProof,
    ContributeInput,
    ContributeOutput,
    SignupInvitation,
    SignupResponse,
)
from casino_contracts.fast_struct import FastReader

from casino_player_example import __version__
from casino_player_example.settings import player_rule
from casino_player_example.style_catalogue import Decide

_QUESTIONS = 64
"""Questions that a player remembers with its answers: of so many tables at the same time."""
_LATE = timedelta(seconds=1)
"""So much later than its clock a saboteur answers."""


def player_agent(
    name: str,
    description: str,
    decide: Decide,
    think: timedelta = timedelta(),
    key: str | None = None,
    *,
    is_late: bool = False,
) -> Agent:
    """Return a Hold'em player's agent, with the skills `signup`, `act` and `contribute`.

    `key` is required of callers of all skills; None allows everybody. With `is_late` every
    decision takes longer than its clock. A hand whose cards are not those that the table committed
    to is refused.
    """
    agent = Agent(
        name, description, version=__version__, tags=("casino", "player"), infers_skill=True
    )

    rule = player_rule(key)

    @agent.entrypoint("signup", who=rule)
    async def signup(_invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation."""
        return SignupResponse(display_name=name)

    deals = OwnDeals(agent, rule)
    memory = IdempotencyCache(ignoring=("deadlineMs",), size=_QUESTIONS)
    reader = FastReader(ActionRequest)
    if not think and not is_late:

        @agent.entrypoint("act", who=rule, memory=memory, hot=reader, is_quick=True)
        def act_at_once(request: ActionRequest) -> ActionResponse:
            """Decide one turn."""
            deals.check(request)
            return decide(request)

    else:

        @agent.entrypoint("act", who=rule, memory=memory, hot=reader)
        async def act(request: ActionRequest) -> ActionResponse:
            """Decide one turn."""
            deals.check(request)
            pause = think + _overrun(request) if is_late else think
            if pause:
                await asyncio.sleep(pause.total_seconds())
            return decide(request)

    return agent


class OwnDeals:
    """The deals in which one player has a part; adds the skill `contribute` to its agent.

    `who` says who may call it. Every player of a process has a `contributor` of its own: a table
    that knows several of them learns nothing of one from another.
    """

    def __init__(self, agent: Agent, who: Rule, contributor: Contributor | None = None) -> None:
        self._contributor = contributor or Contributor()
        contributor = self._contributor

        @agent.entrypoint("contribute", who=who, is_quick=True)
        def contribute(request: ContributeInput) -> ContributeOutput:
            """Take part in the deal of a block of hands."""
            answer = contributor.answer(
                {
                    "tableId": request.table_id,
                    "block": request.block,
                    "playerId": request.player_id,
                    "commitment": request.commitment,
                    "contributed": request.contributed,
                }
            )
            return ContributeOutput.model_validate(answer)

    def check(self, request: ActionRequest) -> None:
        """Raise UnfairDeal if the hole cards are not those that the table committed to.

        A question of a table that deals without contributors passes.
        """
        if request.player_id is None:
            return
        cards = [card.number for card in request.hole_cards]
        proof, leaf = None, None
        if request.proof is not None:
            proof = {name: getattr(request.proof, name) for name in CardProof.model_fields}
            leaf = request.own_leaf
        self._contributor.check(
            request.table_id,
            request.player_id,
            request.hand_number or 0,
            proof,
            cards,
            leaf=leaf,
            asker=caller().token,
        )


def _overrun(request: ActionRequest) -> timedelta:
    """Return a time in which the clock of a question has ended; the protocol's is 10 s."""
    clock_ms = 10_000 if request.deadline_ms is None else request.deadline_ms
    return timedelta(milliseconds=clock_ms + (request.time_bank_ms or 0)) + _LATE
