"""Check `signup`: the bot takes a seat as a lobby offers it, at more than one table."""

from typing import Final

from casino_contracts import SignupResponse, Unit

from casino.check.finding import Finding, Verdict, ok, skipped
from casino.check.practice import TABLE_ID
from casino.check.subject import CONFIG, Answer, Subject

CHECK: Final = "signup"
_FIXES: Final = {
    "display-name-missing": 'answer signup with {"displayName": "My bot"}',
    "signup-malformed": "send the fields and types of SignupResponse: displayName, and if wanted"
    " actionSkill, buyIn, playsAnyGame, clockMs, playerType",
    "no-signup": 'serve the skill signup: answer it with {"displayName": "My bot"}; the skill is in'
    " the message's metadata",
    "buy-in-out-of-range": "choose buyIn from minBuyIn to maxBuyIn of the invitation, or leave it"
    " out",
    "second-table": "accept every invitation: a bot may sit at several tables, each with a seat"
    " token of its own",
}


async def check_signup(subject: Subject) -> list[Finding]:
    """Invite the bot to two tables."""
    answer = await subject.invite(subject.invitation())
    signup = answer.reply
    if not isinstance(signup, SignupResponse):
        return [_failed(answer)]
    subject.signup = signup
    if subject.function is not None:
        return [skipped(CHECK, "a function has no signup: casino join answers it")]
    if (objection := _buy_in_objection(signup)) is not None:
        return [_fault("buy-in-out-of-range", objection, answer)]
    again = await subject.invite(subject.invitation(f"{TABLE_ID}-2", "player-2"))
    if again.failure:
        text = f"the invitation to a second table failed: {again.failure.text}"
        return [_fault("second-table", text, again)]
    return [ok(CHECK, _accepted(signup))]


def _accepted(signup: SignupResponse) -> str:
    asks = [
        f"{name} {value}"
        for name, value in (
            ("actionSkill", None if signup.action_skill == "act" else signup.action_skill),
            ("buyIn", signup.buy_in),
            ("clockMs", signup.clock_ms),
            ("playerType", signup.player_type),
            ("playsAnyGame", signup.plays_any_game),
        )
        if value is not None
    ]
    wishes = f", with {', '.join(asks)}" if asks else ""
    return f"“{signup.display_name}” takes a seat{wishes}"


def _buy_in_objection(signup: SignupResponse) -> str | None:
    if signup.buy_in is None:
        return None
    if not CONFIG.min_buy_in <= signup.buy_in <= CONFIG.max_buy_in:
        allowed = f"{CONFIG.min_buy_in} to {CONFIG.max_buy_in}"
        return f"it asks for {signup.buy_in} chips; the room allows {allowed}"
    try:
        Unit.of(CONFIG).chips(signup.buy_in)
    except ValueError as error:
        return f"buyIn {error}"
    return None


def _failed(answer: Answer) -> Finding:
    failure = answer.failure
    assert failure is not None  # noqa: S101  a call without a failure has a reply
    name = failure.name
    if name in {"malformed-answer", "unknown-action"}:
        name = "display-name-missing" if "displayName" in failure.text else "signup-malformed"
    elif name == "refused":
        name = "no-signup"
    fix = _FIXES.get(name, failure.fix)
    return _fault(name, failure.text, answer, fix)


def _fault(name: str, text: str, answer: Answer, fix: str = "") -> Finding:
    exchange = answer.exchange
    return Finding(
        CHECK, Verdict.FAULT, text, name, fix or _FIXES[name], exchange.sent, exchange.came
    )
