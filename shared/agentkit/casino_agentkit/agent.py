"""Agent: the contents of an agent card and its typed entrypoints.

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
"""protobuf parses at most 48 levels; above this, the reply would depend on the binding."""
HandlerT = TypeVar("HandlerT", bound=Callable[[Any], Any])


class Agent:
    """The typed entrypoints of one agent card.

    `infers_skill` makes the skill id optional: it is inferred from the keys of the input.
    `executor` handles messages that are not typed calls, as A2A tasks; without one they are
    refused. `about` returns further params of the typed-entrypoint extension; it is called at the
    first request of the card. `data_levels` is the maximum nesting depth of a call's data.
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
        """Register a typed function, async or not, as the entrypoint `skill`.

        `who` decides who may call it; it has no default, so that no entrypoint is public by
        accident. With a `memory`, a repeated request gets the cached reply.
        Raises ValueError if the skill is declared twice, TypeError if annotations are missing.
        """
        if skill in self.entrypoints:
            raise ValueError(f"the skill {skill} is declared twice")

        def declare(handler: HandlerT) -> HandlerT:
            self.entrypoints[skill] = Entrypoint.of(handler, skill, who=who, memory=memory)
            return handler

        return declare

    def inferred(self, data: object) -> Entrypoint | None:
        """Return the only entrypoint whose required keys the data has, None if ambiguous."""
        if not self.infers_skill or not isinstance(data, dict):
            return None
        matching = [
            entrypoint
            for entrypoint in self.entrypoints.values()
            if (required := entrypoint.required) and required <= data.keys()
        ]
        return matching[0] if len(matching) == 1 else None
