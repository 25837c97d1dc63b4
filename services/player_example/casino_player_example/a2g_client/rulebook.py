"""The specifications of an A2G server, as its wire uses them.

The Action Schema describes the payload of `submit_action`. The players decide in this casino's
form, `{"action_type": …}`, so that their actions are translated before they are checked.
"""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any

from casino_gamespec import Fault, GameSpec, GameSpecError, Specifications
from casino_gamespec.a2g import a2g_action

from casino_player_example.rulebook import Rulebook


@dataclass(frozen=True)
class A2GSpec(GameSpec):
    """A specification that takes actions in this casino's form."""

    @classmethod
    def of(cls, spec: GameSpec) -> "A2GSpec":
        """Return the same specification for actions in this casino's form."""
        return cls(**{part.name: getattr(spec, part.name) for part in fields(spec)})

    def check_action(self, action: object) -> tuple[Fault, ...]:
        """Return the faults of an action's payload, () if it is valid."""
        payload = a2g_action(action) if isinstance(action, dict) else action
        return super().check_action(payload)


class A2GRulebook(Rulebook):
    """The specifications that the server of `specifications` has."""

    def __init__(self, specifications: Specifications, patience: timedelta) -> None:
        super().__init__(specifications, patience)
        self._served = specifications
        self._versions: dict[str, str] = {}

    async def read(self, game_type: str) -> GameSpec:
        """Return the specification that the server's list has now; raises a GameSpecError."""
        spec = await self._served.current(game_type)
        self._versions[game_type] = str(spec.version)
        return spec

    def version_of(self, game_type: str) -> str:
        """Return the version that is used where a message names none."""
        return self._versions.get(game_type, "0.0.0")

    async def of_version(self, game_type: str, version: str, *, within: float) -> GameSpec | None:
        """Return the specification of messages of a version, None if it is not there in `within` s.

        A newer version than those that were read is fetched.
        """
        spec = await super().of_version(game_type, version, within=within)
        return None if spec is None else A2GSpec.of(spec)

    def result_faults(self, game_type: str, version: str, result: Any) -> tuple[Fault, ...]:
        """Return the faults of the payload of a `round_result`, () without a specification."""
        try:
            spec = self._served.held(game_type, version or self.version_of(game_type))
        except GameSpecError:
            spec = None
        return spec.check_result(result) if spec is not None else ()
