"""An agent: a name and its typed entrypoints.

>>> agent = Agent("Caller", "Calls everything.")
>>> @agent.entrypoint("act", who=ANYONE)
... async def act(request: ActionRequest) -> ActionResponse:
...     return ActionResponse(action="call")
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from a2a.server.agent_execution import AgentExecutor

from casino_agentkit.authority import Rule
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.idempotency import IdempotencyCache

DATA_LEVELS: Final = 40
"""protobuf reads 48 and no more, so that beyond this the answer would depend on the binding."""
HandlerT = TypeVar("HandlerT", bound=Callable[[Any], Any])


class Agent:
    """A card's worth of entrypoints.

    `infers_skill` lets callers leave the skill id out; the input then decides by its required keys.
    `executor` answers everything that is no typed call, with the full Task machinery of A2A;
    without one such messages are refused, naming the extension.
    `about` returns what else stands in the params of our extension on the card; it is asked when
    the card is, not before.
    `data_levels` is how many levels of objects and lists the data of a call may have.
    """

    def __init__(  # noqa: PLR0913  all but two have defaults
        self,
        name: str,
        description: str,
        *,
        version: str = "0.1.0",
        tags: tuple[str, ...] = (),
        infers_skill: bool = False,
        executor: AgentExecutor | None = None,
        streaming: bool = False,
        about: Callable[[], Mapping[str, Any]] = dict,
        data_levels: int = DATA_LEVELS,
    ) -> None:
        self.name = name
        self.description = description
        self.version = version
        self.tags = tags
        self.infers_skill = infers_skill
        self.executor = executor
        self.streaming = streaming
        self.about = about
        self.data_levels = data_levels
        self.entrypoints: dict[str, Entrypoint] = {}

    def entrypoint(
        self, skill: str, *, who: Rule, memory: IdempotencyCache | None = None
    ) -> Callable[[HandlerT], HandlerT]:
        """Declare a typed function, async or not, to be this agent's answer to `skill`.

        `who` decides who may call it; there is no default, so that nothing is open by oversight.
        With a `memory`, a question that is asked again gets the answer it got before.
        Raises ValueError when the skill is taken, TypeError when annotations are missing.
        """
        if skill in self.entrypoints:
            raise ValueError(f"the skill {skill} is declared twice")

        def declare(handler: HandlerT) -> HandlerT:
            self.entrypoints[skill] = Entrypoint.of(handler, skill, who=who, memory=memory)
            return handler

        return declare

    def inferred(self, data: object) -> Entrypoint | None:
        """Return the one entrypoint whose required keys the data has; None if not exactly one."""
        if not self.infers_skill or not isinstance(data, dict):
            return None
        fitting = [
            entrypoint
            for entrypoint in self.entrypoints.values()
            if (required := entrypoint.required) and required <= data.keys()
        ]
        return fitting[0] if len(fitting) == 1 else None
