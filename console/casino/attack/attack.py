"""Definition of an attack: its name, description and function.

The catalogue takes all attacks that its modules define:

```
@attack("events", "C2")
async def forge_stacks(target: Target) -> Outcome:
    \"\"\"Send the lobby, without a key, false stacks of all players.\"\"\"
```
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from casino.attack.outcome import Outcome
from casino.attack.target import Target

Run = Callable[[Target], Awaitable[Outcome]]


@dataclass(frozen=True)
class Attack:
    """One attack.

    `findings` are numbers of docs/security-attacks.md. `breaks` describes the lasting damage of a
    successful attack; such attacks run last. Slow attacks run first, at the same time. `needs`
    names the further service that is attacked.
    """

    name: str
    group: str
    tries: str
    findings: tuple[str, ...]
    run: Run
    breaks: str = ""
    is_slow: bool = False
    needs: str = ""


def attack(
    group: str, *findings: str, breaks: str = "", is_slow: bool = False, needs: str = ""
) -> Callable[[Run], Attack]:
    """Make an `Attack` of a function; its docstring's first line becomes the description."""

    def decorator(run: Run) -> Attack:
        name = getattr(run, "__name__", "").replace("_", "-")
        tries = (run.__doc__ or "").partition("\n")[0]
        return Attack(name, group, tries, findings, run, breaks, is_slow, needs)

    return decorator
