"""An attack: its name, what it tries, and the function that tries it.

A module of attacks has a function for each and lists them in `ATTACKS`:

```
@attack("events", "C2")
async def forge_stacks(target: Target) -> Outcome:
    \"\"\"Tell the lobby, as a stranger, how many chips each player has.\"\"\"
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

    `findings` are the numbers of docs/security-attacks.md. `breaks` says what stays broken where
    the attack succeeds; such attacks come last. A slow one runs beside the others.
    """

    name: str
    group: str
    tries: str
    findings: tuple[str, ...]
    run: Run
    breaks: str = ""
    is_slow: bool = False


def attack(
    group: str, *findings: str, breaks: str = "", is_slow: bool = False
) -> Callable[[Run], Attack]:
    """Make an attack of a function; its name and the first line of its docstring are the words."""

    def made(run: Run) -> Attack:
        name = getattr(run, "__name__", "").replace("_", "-")
        tries = (run.__doc__ or "").partition("\n")[0]
        return Attack(name, group, tries, findings, run, breaks, is_slow)

    return made
