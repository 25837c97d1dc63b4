"""Sign an agent up for a match, as a lobby does: an invitation for each table, with its token."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from casino_agentkit import AgentClient, AgentError
from casino_contracts import HOLDEM, SignupInvitation, SignupResponse, seat_token
from casino_contracts.player_messages import CARD_TIMEOUT
from casino_play.turn import AgentSeat, Clock

from casino_match.domain.plan import Plan
from casino_match.errors import AgentBusy, PlayerFailed
from casino_match.players.remote_calls import OnPause, RetryWait, gather_limited
from casino_match.players.remote_card import MatchCard
from casino_match.players.remote_player import RemotePlayer

SKILL: Final = "signup"
_TIMEOUT: Final = timedelta(seconds=10)
_BRIEF: Final = "A match invites you to its table; accept by giving your display name."


def player_id(index: int) -> str:
    """Return the id that a player of the plan has at every table; `index` is its place there."""
    return f"player-{index + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signup:
    """Signs the agents of a plan up for the same tables; `secret` makes the tokens."""

    client: AgentClient
    plan: Plan
    tables: Sequence[str]
    secret: str
    clock: Clock
    on_pause: OnPause

    async def sign_up(self, index: int) -> RemotePlayer:
        """Return the accepted player; raises PlayerFailed, MatchSuspended, InvalidPlan."""
        plan = self.plan
        entrant = plan.players[index]
        card = MatchCard(self.client, entrant)
        replies = await gather_limited(
            lambda table: self._reply(index, card, table), self.tables, entrant.games_at_once
        )
        clock_ms = round(plan.rules.clock.total_seconds() * 1000)
        seats = [
            AgentSeat(entrant.player, reply.action_skill, clock_ms, self._token(index, table))
            for table, reply in zip(self.tables, replies, strict=True)
        ]
        return RemotePlayer(
            entrant,
            seats,
            card,
            plays_any_game=any(reply.plays_any_game for reply in replies),
            model=next((each.profile.model for each in replies if each.profile), None),
            plan=plan,
            clock=self.clock,
            on_pause=self.on_pause,
        )

    async def _reply(self, index: int, card: MatchCard, table: str) -> SignupResponse:
        entrant, rules = self.plan.players[index], self.plan.rules
        invitation = SignupInvitation(
            casino_name=self.plan.name,
            table_id=table,
            room_id=table,
            min_buy_in=rules.stack,
            max_buy_in=rules.stack,
            small_blind=rules.small_blind,
            big_blind=rules.big_blind,
            player_id=player_id(index),
            seat_token=self._token(index, table),
            game_type=HOLDEM,
            arguments=entrant.arguments or None,
        )
        patience = RetryWait(
            entrant.name, entrant.player, self.plan.faults.patience, self.clock.now, self.on_pause
        )
        while True:
            try:
                callee = await card.peer(entrant.player, CARD_TIMEOUT)
                reply = await callee.call(
                    SKILL, invitation.wire(), SignupResponse,
                    timeout=_TIMEOUT, conversation=None, brief=_BRIEF, token=None,
                )  # fmt: skip
            except AgentBusy as error:
                await self.clock.sleep(patience.next_s(error.why, error.retry_after_s))
            except AgentError as error:
                raise PlayerFailed(
                    f"{entrant.name} cannot be signed up: {error}. Start the agent, and run the"
                    " same command again"
                ) from error
            else:
                _check_buy_in(entrant.name, reply, rules.stack)
                return reply

    def _token(self, index: int, table: str) -> str:
        return seat_token(self.secret, f"{table}/{player_id(index)}")


def _check_buy_in(name: str, reply: SignupResponse, stack: int) -> None:
    if reply.buy_in not in {None, stack}:
        raise PlayerFailed(
            f"{name} asks for {reply.buy_in} chips, but every hand of this match begins with"
            f" {stack}: leave buyIn out of the reply to signup, or set rules.stack"
        )
