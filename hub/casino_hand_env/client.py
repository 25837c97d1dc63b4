"""Client of the environment, over its WebSocket."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from casino_hand_env.models import CasinoHandAction, CasinoHandObservation, CasinoHandState


class CasinoHandEnv(EnvClient[CasinoHandAction, CasinoHandObservation, CasinoHandState]):
    """A session of its own: `reset` takes the fields of `casino_match`'s `HandOrder`."""

    def _step_payload(self, action: CasinoHandAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump()
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CasinoHandObservation]:
        reward, done = payload["reward"], payload["done"]
        seen = CasinoHandObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=seen, reward=reward, done=done, metadata=seen.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> CasinoHandState:
        return CasinoHandState(**payload)
