"""Checks of time and size: `concurrency`, `speed`, `reply-size`."""

import asyncio
import statistics
from typing import Final

from casino.check.finding import Finding, Verdict, ok
from casino.check.subject import Subject

CONCURRENCY: Final = "concurrency"
SPEED: Final = "speed"
SIZE: Final = "reply-size"
_AT_ONCE: Final = 8
_SERIAL: Final = 0.6
"""The part of the sum of all times above which questions were answered one after the other."""
_NOTICEABLE_S: Final = 0.02
_SLOW_S: Final = 0.04
_LARGE: Final = 16_384
_FIXES: Final = {
    "one-at-a-time": "serve each connection in a thread or task of its own (ThreadingHTTPServer"
    " instead of HTTPServer): one table asks while another one is answered",
    "fails-under-load": "share no state between questions that are asked at once",
    "slow": "half of the clock is little room: decide faster, or set clockMs in the reply to"
    " signup",
    "large-reply": "send the action alone; a reply of more than 1 MiB is refused",
}


async def check_concurrency(subject: Subject) -> list[Finding]:
    """Ask eight questions at once, as tables do at which the bot has seats."""
    tasks = [task for task, _ in subject.answers[:_AT_ONCE]]
    single_s = statistics.median(answer.seconds for _, answer in subject.answers)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    answers = await asyncio.gather(*(subject.ask_anew(task) for task in tasks))
    elapsed_s = loop.time() - begun
    subject.missed = 0
    await subject.reconnect()
    failed = [answer for answer in answers if answer.failure]
    if failed:
        failure = failed[0].failure
        assert failure is not None  # noqa: S101  only failed answers are in the list
        is_late = failure.name == "no-answer-in-time"
        name = "one-at-a-time" if is_late else "fails-under-load"
        text = f"{len(failed)} of {len(tasks)} questions at once failed: {failure.text}"
        return [_finding(CONCURRENCY, Verdict.FAULT, name, text, failed[0].exchange.came)]
    if single_s > _NOTICEABLE_S and elapsed_s > _SERIAL * single_s * len(tasks) > single_s:
        text = (
            f"{len(tasks)} questions at once took {elapsed_s:.2f} s, one alone {single_s:.2f} s:"
            " they are answered one after the other"
        )
        return [_finding(CONCURRENCY, Verdict.WARNING, "one-at-a-time", text)]
    return [ok(CONCURRENCY, f"{len(tasks)} questions at once, answered in {elapsed_s:.3f} s")]


async def check_speed(subject: Subject) -> list[Finding]:
    """Compare the times of the answers with the clock."""
    seconds = sorted(answer.seconds for _, answer in subject.answers)
    median, late = statistics.median(seconds), seconds[int(0.99 * (len(seconds) - 1))]
    text = f"median {_ms(median)}, 99 % within {_ms(late)}, slowest {_ms(seconds[-1])}"
    if seconds[-1] > subject.clock.total_seconds() / 2:
        return [
            _finding(SPEED, Verdict.WARNING, "slow", f"{text}; the clock is {subject.clock_ms} ms")
        ]
    return [ok(SPEED, text)]


async def check_size(subject: Subject) -> list[Finding]:
    """Look at the largest reply."""
    exchanges = [answer.exchange for _, answer in subject.answers]
    largest = max(exchanges, key=lambda exchange: len(exchange.body))
    size = len(largest.body)
    text = f"the largest reply has {size} bytes"
    if size > _LARGE:
        came = largest.came
        return [_finding(SIZE, Verdict.WARNING, "large-reply", text, came)]
    return [ok(SIZE, text)]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _finding(check: str, verdict: Verdict, name: str, text: str, came: str = "") -> Finding:
    return Finding(check, verdict, text, name, _FIXES[name], came=came)
