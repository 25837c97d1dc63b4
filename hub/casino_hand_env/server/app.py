"""Serves the environment: `python -m casino_hand_env.server.app [--host HOST] [--port PORT]`."""

import argparse
from typing import Any
from uuid import uuid4

import uvicorn
from casino_match.play.learner_table import LearnerTable, LearnerView
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from casino_hand_env.models import CasinoHandAction, CasinoHandObservation, CasinoHandState

MOST_SESSIONS = 64


class CasinoHandEnvironment(Environment[CasinoHandAction, CasinoHandObservation, CasinoHandState]):
    """A session: an episode is a hand of `LearnerTable`, whose reward comes at its end.

    A refused order of `reset`, and a `step` without a question, are errors of the protocol, which
    leave the hand as it was. An illegal answer is none: the learner is asked once more.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._table = LearnerTable()
        self._episode_id: str | None = None
        self._steps = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **order: Any
    ) -> CasinoHandObservation:
        view = self._table.deal(seed=seed, **order)
        self._episode_id = episode_id or str(uuid4())
        self._steps = 0
        return self._observation(view)

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **order: Any
    ) -> CasinoHandObservation:
        """Deal in the server's one thread: what sessions share is not made for several."""
        return self.reset(seed, episode_id, **order)

    def step(
        self, action: CasinoHandAction, timeout_s: float | None = None, **options: Any
    ) -> CasinoHandObservation:
        del timeout_s, options
        view = self._table.answer(action.action)
        self._steps += 1
        return self._observation(view)

    async def step_async(
        self, action: CasinoHandAction, timeout_s: float | None = None, **options: Any
    ) -> CasinoHandObservation:
        return self.step(action, timeout_s, **options)

    @property
    def state(self) -> CasinoHandState:
        order = self._table.order
        return CasinoHandState(
            episode_id=self._episode_id,
            step_count=self._steps,
            faults=self._table.faults,
            order=order.model_dump() if order else {},
        )

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name="casino_hand_env",
            description="Hands of poker and other games; rewards without the luck of the board.",
            version="0.1.0",
        )

    def _observation(self, view: LearnerView) -> CasinoHandObservation:
        return CasinoHandObservation(
            text=view.text,
            question=view.question,
            legal_actions=view.legal_actions,
            done=view.result is not None,
            reward=view.result,
            metadata=view.facts,
        )


app = create_app(
    CasinoHandEnvironment,
    CasinoHandAction,
    CasinoHandObservation,
    env_name="casino_hand_env",
    max_concurrent_envs=MOST_SESSIONS,
    state_cls=CasinoHandState,
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    asked = parser.parse_args()
    uvicorn.run(app, host=asked.host, port=asked.port)


if __name__ == "__main__":
    main()
