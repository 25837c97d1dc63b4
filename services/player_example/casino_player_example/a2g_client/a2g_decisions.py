"""Decide a question of an A2G server by a player of any game.

A fifth of the clock is kept in reserve, as the protocol requires. A player that is late, or whose
action is not offered or does not conform to the Action Schema, is asked once more with the reason;
then the default action is taken. A2G has no field that says so: defaults are logged and counted,
and a gateway of this project, which names the question's `requestId`, is told in `defaulted`.

The Action Schema of an A2G server describes the payload of `submit_action`. The players decide in
this casino's form, `{"action_type": …}`, so that their actions are translated before they are
checked.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any

import structlog
from casino_contracts import Defaulted, GameActionRequest, Rejection
from casino_gamespec import GameSpec, GameSpecError, SchemaFault, Specifications, is_offered
from casino_gamespec.a2g import a2g_action, read_offers

from casino_player_example.a2g_client.a2g_messages import Message
from casino_player_example.any_game import AnyGamePlayer
from casino_player_example.rulebook import Rulebook

Json = dict[str, Any]
_SHARE_FOR_READING = 0.5
_ATTEMPTS = 2
_MAX_MESSAGE = 500

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class A2GSpec(GameSpec):
    """A specification that takes actions in this casino's form."""

    @classmethod
    def of(cls, spec: GameSpec) -> "A2GSpec":
        """Return the same specification for actions in this casino's form."""
        return cls(**{part.name: getattr(spec, part.name) for part in fields(spec)})

    def check_action(self, action: object) -> tuple[SchemaFault, ...]:
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
        """Return it, None if not there in `within` s; newer versions than known are fetched."""
        spec = await super().of_version(game_type, version, within=within)
        return None if spec is None else A2GSpec.of(spec)

    def result_faults(self, game_type: str, version: str, result: Any) -> tuple[SchemaFault, ...]:
        """Return the faults of the payload of a `round_result`, () without a specification."""
        try:
            spec = self._served.held(game_type, version or self.version_of(game_type))
        except GameSpecError:
            spec = None
        return spec.check_result(result) if spec is not None else ()


class ServerDecisions:
    """Turns questions into payloads of `submit_action`. `clock` returns seconds.

    `defaults` counts the decisions that the player did not make, by reason.
    """

    def __init__(
        self, player: AnyGamePlayer, rulebook: A2GRulebook, clock: Callable[[], float]
    ) -> None:
        self.defaults: Counter[str] = Counter()
        self._player = player
        self._rulebook = rulebook
        self._clock = clock

    async def decide(
        self, question: Message, *, player_id: str, until: float, refusal: str = ""
    ) -> tuple[Json, Json] | None:
        """Return a payload, and what is said beside it; `refusal` is of the last one.

        None is no answer.
        """
        game_type = question.game_type
        version = question.spec_version or self._rulebook.version_of(game_type)
        within = max(0.0, until - self._clock()) * _SHARE_FOR_READING
        spec = await self._rulebook.of_version(game_type, version, within=within)
        offers = read_offers(_listed(question.payload), _conforms_to(spec))
        if not offers:
            logger.warning("no_offer_readable", game=game_type, table=question.table_id)
            return None
        request = GameActionRequest(
            table_id=question.table_id,
            game_type=game_type,
            spec_version=version,
            request_id=question.message_id,
            player_id=player_id,
            state=question.payload,
            available_actions=tuple(offers),
            deadline_ms=0,
        )
        try:
            async with asyncio.timeout(max(0.0, until - self._clock())):
                action, defaulted = await self._ask(request, spec, until, refusal)
        except TimeoutError:
            action, defaulted = None, Defaulted(reason="timeout")
        if defaulted is not None:
            self.defaults[defaulted.reason] += 1
            of = {"game": game_type, "table": question.table_id, "reason": defaulted.reason}
            logger.warning("default_submitted", **of)  # its detail may quote cards
        payload = a2g_action(self._rulebook.default(request) if action is None else action)
        if defaulted is None or not question.request_id:
            return payload, {}
        return payload, {"defaulted": defaulted.model_dump(mode="json")}

    async def _ask(
        self, request: GameActionRequest, spec: GameSpec | None, until: float, refusal: str
    ) -> tuple[Json | None, Defaulted | None]:
        """Return an action that is offered and conforms, and why it is a default.

        After two actions that are not, there is none.
        """
        for _ in range(_ATTEMPTS):
            if refusal:
                rejected = Rejection(reason="illegal", message=refusal[:_MAX_MESSAGE])
                request = request.model_copy(update={"rejected": rejected})
            left_ms = max(0, round((until - self._clock()) * 1000))
            request = request.model_copy(update={"deadline_ms": left_ms})
            reply = await self._player.act(request)
            action = reply.action
            faults = spec.check_action(action) if spec is not None else ()
            if is_offered(action, request.available_actions) and not faults:
                return action, reply.defaulted
            refusal = (
                f"it does not match the Action Schema: {faults[0]}" if faults else "not offered"
            )
        return None, Defaulted(reason="rejected", detail=refusal)


def _listed(payload: Json) -> list[Any]:
    offers = payload.get("availableActions")
    return offers if isinstance(offers, list) else []


def _conforms_to(spec: GameSpec | None) -> Callable[[Json], bool]:
    """Return whether a payload conforms to the Action Schema, which without one every does."""
    if spec is None:
        return lambda _payload: True
    return lambda payload: spec.action.faults(payload) == ()
