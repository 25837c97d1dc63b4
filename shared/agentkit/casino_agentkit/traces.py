"""Traces by OpenTelemetry: what took how long, in all processes of a hand or command.

Calls carry a trace in the header `traceparent` (W3C Trace Context). An entrypoint continues it only
for callers that its rule admits by a key, or, where only its own machine reaches the process, for
all that no proxy passes on. So strangers add nothing to a trace, and no other of them gets dearer.
Spans say room, hand, player and outcome, never cards, keys, or what anybody wrote.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal
from weakref import WeakSet

from casino_agentkit.agent import Agent
from casino_agentkit.authority import ANYONE, caller
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import CommandRefused, InvalidSettings
from casino_agentkit.installation import installation_hint
from casino_agentkit.protocol import TRACE_HEADER

if TYPE_CHECKING:  # of the extra `traces`, which only a process with traces imports
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import SpanContext

_TRACEPARENT: Final = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_SAMPLED: Final = 1
_EXPORT_S: Final = 5.0
"""How long the receiver may take for spans; at its end a process waits no longer for it."""


@dataclass
class OpenSpan:
    """A span that has not ended."""

    context: "SpanContext"
    outcome: str = "ok"


class Traces:
    """Begins spans of this process, and continues those of its callers.

    `trusts_all` says that only this machine reaches the process.
    """

    def __init__(self, provider: "TracerProvider", *, trusts_all: bool = False) -> None:
        from opentelemetry import trace  # noqa: PLC0415

        self._api = trace
        self._provider = provider
        self._tracer = provider.get_tracer("a2a-casino")
        self._trusts_all = trusts_all
        self._followed = WeakSet[Agent]()

    @classmethod
    def sent_to(cls, url: str, service: str, *, trusts_all: bool) -> "Traces":
        """Return traces that go to an OTLP receiver over HTTP. Raises InvalidSettings."""
        try:
            from opentelemetry.exporter.otlp.proto.http import trace_exporter  # noqa: PLC0415
            from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
            from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
            from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        except ImportError as error:
            hint = installation_hint("traces")
            raise InvalidSettings(f"{error.name} is not installed: {hint}") from error
        resource = Resource.create({"service.name": f"casino-{service}"})
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        exporter = trace_exporter.OTLPSpanExporter(
            url.rstrip("/") + "/v1/traces", timeout=_EXPORT_S
        )
        provider.add_span_processor(BatchSpanProcessor(exporter))
        return cls(provider, trusts_all=trusts_all)

    @contextmanager
    def span(
        self,
        name: str,
        *,
        parent: "SpanContext | None" = None,
        is_root: bool = False,
        links: "Iterable[SpanContext]" = (),
        kind: Literal["internal", "client", "server"] = "internal",
        **about: str | int | None,
    ) -> Iterator[OpenSpan]:
        """Measure a block: below `parent`, else below the open span, which a root is linked with.

        `about` are attributes, without the prefix `casino.`. An error is told by its kind alone:
        its message may quote an answer.
        """
        api, context = self._api, None
        if is_root:
            context, links = self._context(None), (*links, self._open())
        elif parent is not None:
            context = self._context(parent)
        span = self._tracer.start_span(
            name,
            context,
            api.SpanKind[kind.upper()],
            {f"casino.{key}": value for key, value in about.items() if value is not None},
            [api.Link(link) for link in links if link.is_valid],
        )
        opened = OpenSpan(span.get_span_context())
        with api.use_span(
            span, end_on_exit=True, record_exception=False, set_status_on_exception=False
        ):
            try:
                yield opened
            except BaseException as error:
                opened.outcome = type(error).__name__
                if isinstance(error, CommandRefused):
                    opened.outcome = str(error.reason)
                span.set_status(api.StatusCode.ERROR)
                raise
            finally:
                span.set_attribute("casino.outcome", opened.outcome)

    def _open(self) -> "SpanContext":
        """Return the context of the open span, which is not valid if there is none."""
        return self._api.get_current_span().get_span_context()

    def _context(self, parent: "SpanContext | None") -> Any:
        from opentelemetry.context import Context  # noqa: PLC0415

        if parent is None:
            return Context()
        return self._api.set_span_in_context(self._api.NonRecordingSpan(parent), Context())

    def carried(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        """Return the headers of a call, with the open span if there is one."""
        open_span = self._open()
        if not open_span.is_valid:
            return headers
        ids = f"{open_span.trace_id:032x}-{open_span.span_id:016x}"
        return {**headers, TRACE_HEADER: f"00-{ids}-{int(open_span.trace_flags) & _SAMPLED:02x}"}

    def of_caller(self) -> "SpanContext | None":
        """Return the caller's span; None without one that is well-formed."""
        found = _TRACEPARENT.fullmatch(caller().traceparent)
        if found is None:
            return None
        trace_id, span_id, flags = (int(part, 16) for part in found.groups())
        sampled = self._api.TraceFlags(flags & _SAMPLED)
        context = self._api.SpanContext(trace_id, span_id, is_remote=True, trace_flags=sampled)
        return context if context.is_valid else None

    def of_request(self) -> "SpanContext | None":
        """Return the caller's span, unless one of this process is open."""
        return None if self._open().is_valid else self.of_caller()

    def follow(self, agent: Agent) -> None:
        """Let the entrypoints of an agent continue traces of those whom they admit."""
        if agent not in self._followed:
            self._followed.add(agent)
            for skill, entrypoint in agent.entrypoints.items():
                if self._trusts_all or entrypoint.who is not ANYONE:
                    agent.entrypoints[skill] = self._following(entrypoint)

    def _following(self, entrypoint: Entrypoint) -> Entrypoint:
        """Its functions are called once the caller is admitted, and not for a repeated reply."""
        run, compute, skill = entrypoint.run, entrypoint.compute, entrypoint.skill
        is_public = entrypoint.who is ANYONE

        def parent() -> "SpanContext | None":
            return None if is_public and caller().is_forwarded else self.of_caller()

        async def followed(message: Any) -> Any:
            if (begun := parent()) is None:
                return await run(message)
            with self.span(skill, parent=begun, kind="server"):
                return await run(message)

        def computed(message: Any) -> Any:
            assert compute is not None  # noqa: S101  else this is not used
            if (begun := parent()) is None:
                return compute(message)
            with self.span(skill, parent=begun, kind="server"):
                return compute(message)

        return replace(entrypoint, run=followed, compute=None if compute is None else computed)

    def close(self) -> None:
        """Send what is measured, and end."""
        self._provider.shutdown()
