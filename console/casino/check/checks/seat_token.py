"""Check `seat-token`: who may ask the bot for decisions."""

from typing import Final

from casino_agentkit.protocol import CAPABILITY_PATH
from casino_contracts import ActionResponse, GameActionResponse

from casino.check.finding import Finding, note, ok, skipped
from casino.check.subject import Subject

CHECK: Final = "seat-token"


async def check_seat_token(subject: Subject) -> list[Finding]:
    """Ask as a third party, with another token than that of signup."""
    if subject.function is not None:
        return [skipped(CHECK, "a function has no caller: casino join compares the token")]
    if CAPABILITY_PATH in subject.url:
        return [ok(CHECK, "only who knows its address, which is its key, reaches it")]
    task, _ = subject.answers[-1]
    body, brief = await subject.practice.ask(task, subject.clock_ms)
    body = subject.anew(body)
    any_game = bool(subject.signup and subject.signup.plays_any_game)
    output = GameActionResponse if any_game else ActionResponse
    skill = subject.signup.action_skill if subject.signup else "act"
    answer = await subject.call(skill, body, output, brief=brief, token="another" + subject.token)
    if answer.failure:
        return [ok(CHECK, f"a caller without the seat token is refused: {answer.failure.text}")]
    text = (
        "anybody who reaches the bot may ask it; to allow only your casino, give it a key"
        " (CASINO_PLAYER_KEY), or compare the header Authorization with “Bearer ” and the seatToken"
        " of signup"
    )
    return [note(CHECK, text)]
