"""A decision of a hostile player, and what it costs the table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from casino_agentkit import AgentClient, CommandRefused, Conversation, HttpTransport
from casino_agentkit.bounds import ReplyBounds
from casino_contracts import ActionRequest, ActionResponse, Rejection, SignupResponse
from casino_lobby.tables.agent_errors import translate_errors
from casino_play.agent_seat import AgentSeat
from casino_play.clock import Clock
from casino_play.decision import Action, Decision
from casino_play.player_directory import PlayerDirectory
from casino_play.turn import Turn

from support.attack.replies.measured import Measured, measuring

CLOCK = timedelta(milliseconds=300)
LONG = timedelta(hours=1)

ASKED = ActionRequest.model_validate(
    {
        "tableId": "t1",
        "bettingRound": "preflop",
        "communityCards": [],
        "holeCards": [{"rank": "A", "suit": "spades"}, {"rank": "K", "suit": "diamonds"}],
        "pot": 3,
        "minimumRaise": 2,
        "currentBet": 2,
        "playerStack": 200,
        "legalActions": ["fold", "call"],
    }
)


class OneQuestion:
    """A question to fold or call, whose rejections are kept."""

    reply = ActionResponse
    brief = "Fold or call?"

    def __init__(self) -> None:
        self.default: Action = {"action_type": "fold"}
        self.rejected: list[Rejection] = []

    def request(
        self,
        _attempt: int,
        _left: timedelta,
        rejected: Rejection | None,
        _time_bank_ms: int | None = None,
    ) -> bytes:
        """Return the question; on the second attempt with what was wrong."""
        if rejected is not None:
            self.rejected.append(rejected)
        return ASKED.model_copy(update={"rejected": rejected}).wire()

    def action(self, response: ActionResponse) -> Action:
        """Return any answer unchanged."""
        return {"action_type": response.action}

    def for_invoke_profile(self) -> "OneQuestion":
        """Return this question, which has no amounts."""
        return self


@dataclass
class Cost:
    """What one decision cost the table."""

    decision: Decision
    measured: Measured
    rejected: list[Rejection]


@dataclass
class SignUp:
    """What one sign-up cost the lobby, and how the lobby refused it."""

    reason: str
    message: str
    measured: Measured


@dataclass
class Series:
    """What many decisions cost, one after the other."""

    outcomes: Counter[str] = field(default_factory=Counter)
    unbearable: dict[str, Measured] = field(default_factory=dict)
    """The cost of those that cost others too much, by the URL of the card."""
    longest_rejection: tuple[int, str] = (0, "")
    """Its bytes, and the URL of the card of the agent that was rejected."""
    measured: Measured = field(default_factory=Measured)
    """Of all together."""


async def decide(client: AgentClient, card_url: str, clock: timedelta = CLOCK) -> Cost:
    """Request one decision of the agent at a card URL, as a table does."""
    question = OneQuestion()
    seat = AgentSeat(card_url, "act", round(clock.total_seconds() * 1000))
    turn = Turn(PlayerDirectory(client), Clock())
    async with measuring(clock) as measured:
        decision = await turn.decide(seat, question, Conversation())
    return Cost(decision, measured, question.rejected)


async def attacked(
    card_url: str,
    *,
    client: AgentClient | None = None,
    bounds: ReplyBounds | None = None,
    before: str | None = None,
) -> Cost:
    """Return the cost of one decision of an agent, with a client without cached cards.

    An agent at the card URL `before` decides first: what is loaded once is not counted then.
    """
    client = client or AgentClient(HttpTransport(), bounds=bounds)
    try:
        if before is not None:
            await decide(client, before)
        return await decide(client, card_url)
    finally:
        await client.close()


async def signed_up(card_url: str) -> SignUp:
    """Return the cost of a sign-up that fails, as the lobby asks for it."""
    client = AgentClient(HttpTransport())
    refused: CommandRefused | None = None
    async with measuring(CLOCK) as measured:
        try:
            with translate_errors("The player"):
                peer = await client.resolve(card_url, timeout=CLOCK / 2)
                await peer.call("signup", ASKED, SignupResponse, timeout=CLOCK / 2)
        except CommandRefused as error:
            refused = error
    await client.close()
    assert refused is not None, "the sign-up did not fail"
    return SignUp(refused.reason, refused.message, measured)


async def attacked_by_all(honest: str, cards: Sequence[str], at_least: int, kinds: int) -> Series:
    """Return the cost of decisions of agents at these card URLs, with one client for all.

    The first `at_least` of them decide, and more until there were so many kinds of outcomes. The
    `honest` one decides before, so that what is loaded once is not counted.
    """
    series = Series()
    client = AgentClient(HttpTransport())
    await decide(client, honest)
    async with measuring(LONG) as series.measured:
        for number, card_url in enumerate(cards):
            if number >= at_least and len(series.outcomes) >= kinds:
                break
            cost = await decide(client, card_url)
            series.outcomes[cost.decision.outcome] += 1
            for rejection in cost.rejected:
                length = len(rejection.wire())
                series.longest_rejection = max(series.longest_rejection, (length, card_url))
            if not cost.measured.is_bearable:
                series.unbearable[card_url] = cost.measured
    await client.close()
    return series
