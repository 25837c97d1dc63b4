"""Agent: the contents of an agent card and its typed entrypoints.

>>> agent = Agent("Caller", "Calls everything.")
>>> @agent.entrypoint("act", who=ANYONE)
... async def act(request: ActionRequest) -> ActionResponse:
...     return ActionResponse(action="call")
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from casino_agentkit.authority import ANYONE, Rule
from casino_agentkit.entrypoint import Entrypoint, HotInput, LargeBody
from casino_agentkit.idempotency_cache import IdempotencyCache
from casino_agentkit.protocol import JSON, TEXT

if TYPE_CHECKING:  # an agent that uses none of them does not import the SDK
    from a2a.server.agent_execution import AgentExecutor
    from a2a.server.tasks import PushNotificationSender
    from a2a.server.tasks.push_notification_config_store import PushNotificationConfigStore
    from a2a.types import AgentCard, AgentExtension, AgentSkill, SecurityRequirement, SecurityScheme

DATA_LEVELS: Final = 40
"""protobuf parses at most 48 levels; above this, the reply would depend on the binding."""
HandlerT = TypeVar("HandlerT", bound=Callable[[Any], Any])


@dataclass(frozen=True)
class ExtendedCard:
    """A card with more, for callers that `who` admits; `extend` makes it of the public card."""

    who: Rule
    extend: "Callable[[AgentCard], AgentCard]"


@dataclass(frozen=True)
class PushNotifications:
    """Where callers' addresses for updates of a task are kept, and what sends to them."""

    configs: "PushNotificationConfigStore"
    sender: "PushNotificationSender"


@dataclass(frozen=True)
class Security:
    """Security schemes on a card, for callers to know; the rules check what they send."""

    schemes: "Mapping[str, SecurityScheme]"
    requirements: "Sequence[SecurityRequirement]" = ()


class Agent:
    """The typed entrypoints of one agent card.

    `infers_skill` makes the skill id optional: it is inferred from the keys of the input.
    `executor` handles messages that are not typed calls, as A2A tasks; without one they are
    refused. It gets parts of `input_modes` only, and answers in `output_modes`: media types, by
    default JSON and text. `tasks_who` decides who may send it messages and see tasks; callers see
    the tasks of their own token. `skills` are its skills on the card. With `push`, its tasks notify
    callers of updates. `security` and `extended_card` are on the card and behind it. A message
    that does not activate all `required_extensions` is refused.
    `about` returns further params of the typed-entrypoint extension; it is called at the first
    request of the card. `data_levels` is the maximum nesting depth of a call's data.
    """

    def __init__(  # noqa: PLR0913  all but two have defaults
        self,
        name: str,
        description: str,
        *,
        version: str = "0.1.0",
        tags: tuple[str, ...] = (),
        infers_skill: bool = False,
        executor: "AgentExecutor | None" = None,
        streaming: bool = False,
        input_modes: tuple[str, ...] = (),
        output_modes: tuple[str, ...] = (),
        skills: "Sequence[AgentSkill]" = (),
        tasks_who: Rule = ANYONE,
        push: PushNotifications | None = None,
        security: Security | None = None,
        extended_card: ExtendedCard | None = None,
        required_extensions: "Sequence[AgentExtension]" = (),
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
        default_modes = (JSON, TEXT) if executor else (JSON,)
        self.input_modes = input_modes or default_modes
        self.output_modes = output_modes or default_modes
        self.skills = tuple(skills)
        self.tasks_who = tasks_who
        self.push = push
        self.security = security
        self.extended_card = extended_card
        self.required_extensions = tuple(required_extensions)
        self.about = about
        self.data_levels = data_levels
        self.entrypoints: dict[str, Entrypoint] = {}

    @property
    def declares_sdk_types(self) -> bool:
        return bool(self.skills or self.security or self.required_extensions)

    def entrypoint(
        self,
        skill: str,
        *,
        who: Rule,
        memory: IdempotencyCache | None = None,
        hot: HotInput[Any] | None = None,
        is_quick: bool = False,
        large: LargeBody | None = None,
        token_in_name: bool = False,
    ) -> Callable[[HandlerT], HandlerT]:
        """Register a typed function, async or not, as the entrypoint `skill`.

        `who` decides who may call it; it has no default, so that no entrypoint is public by
        accident. With a `memory`, a repeated request gets the cached reply. With `hot`, which reads
        the input faster, rule and function get what that returns.
        A synchronous function runs in a thread of its own. One that waits for nothing and computes
        for so short a time that other calls may wait for it `is_quick`: it is called in the event
        loop, without a task. A request has at most `INPUT_LIMIT` bytes, unless its body is `large`.
        With `token_in_name` it is also invoked by a name with the caller's token, `SKILL.TOKEN`,
        which the card at that token's capability address lists.
        Raises ValueError if the skill is declared twice, TypeError if annotations are missing.
        """
        if skill in self.entrypoints:
            raise ValueError(f"the skill {skill} is declared twice")

        def declare(handler: HandlerT) -> HandlerT:
            self.entrypoints[skill] = Entrypoint.of(
                handler,
                skill,
                who=who,
                memory=memory,
                hot=hot,
                is_quick=is_quick,
                large=large,
                token_in_name=token_in_name,
            )
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
