"""Providers of language models, and their models as the library `pydantic-ai` speaks to them.

A model is named `PROVIDER:NAME`; a name alone is of an OpenAI-compatible server, whose address is
then set too. The library is an extra (`llm`) and imported where a model is opened.
"""

import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from casino_agentkit import InvalidSettings
from casino_agentkit.installation import installation_hint
from typing_extensions import override

from casino_player_example.errors import ReplyTooLarge

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model

_CONNECT_S = 5.0
"""A model may think for minutes, but a provider that is there accepts a connection at once."""
Protocol = Literal["chat", "responses", "anthropic", "google"]


@dataclass(frozen=True)
class ModelProvider:
    """A provider: what its models speak, its address, and the usual variables of its key."""

    name: str
    protocol: Protocol
    base_url: str | None
    key_variables: tuple[str, ...] = ()


PROVIDERS: Mapping[str, ModelProvider] = {
    provider.name: provider
    for provider in (
        ModelProvider(
            "anthropic", "anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY",)
        ),
        ModelProvider(
            "google",
            "google",
            "https://generativelanguage.googleapis.com",
            ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ),
        ModelProvider("ollama", "chat", "http://127.0.0.1:11434/v1"),
        ModelProvider("openai", "chat", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
        ModelProvider(
            "openai-responses", "responses", "https://api.openai.com/v1", ("OPENAI_API_KEY",)
        ),
        ModelProvider(
            "openrouter", "chat", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)
        ),
    )
}
COMPATIBLE = ModelProvider("compatible", "chat", None)
"""Any server that speaks OpenAI's chat protocol, where the model's name says no provider."""
_NO_KEY = "none"


def provider_of(model: str) -> tuple[ModelProvider, str]:
    """Return a model's provider and its name there.

    >>> provider_of("anthropic:claude-sonnet-4-6")[1], provider_of("qwen3:8b")[0].name
    ('claude-sonnet-4-6', 'compatible')
    """
    before, colon, name = model.partition(":")
    if colon and name and before in PROVIDERS:
        return PROVIDERS[before], name
    return COMPATIBLE, model


def open_http(
    tls: ssl.SSLContext, most_bytes: int, transport: "httpx2.AsyncBaseTransport | None" = None
) -> "httpx2.AsyncClient":
    """Return a client for a provider, which refuses larger answers and follows no redirects.

    The caller limits its time. `transport` is in the place of the network. Raises InvalidSettings.
    """
    try:
        import httpx2  # noqa: PLC0415
    except ImportError as error:
        raise _missing(error) from None
    network = transport or httpx2.AsyncHTTPTransport(verify=tls)

    class BoundedTransport(httpx2.AsyncBaseTransport):
        @override
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            request.headers["accept-encoding"] = "identity"
            response = await network.handle_async_request(request)
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=CountedBody(response),
                extensions=response.extensions,
            )

        @override
        async def aclose(self) -> None:
            await network.aclose()

    class CountedBody(httpx2.AsyncByteStream):
        def __init__(self, response: httpx2.Response) -> None:
            self._response = response

        @override
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in self._response.stream:  # type: ignore[union-attr]  # an asynchronous transport's
                size += len(chunk)
                if size > most_bytes:
                    raise ReplyTooLarge(f"the provider sent more than {most_bytes} bytes")
                yield chunk

        @override
        async def aclose(self) -> None:
            await self._response.aclose()

    timeout = httpx2.Timeout(None, connect=_CONNECT_S)
    return httpx2.AsyncClient(transport=BoundedTransport(), timeout=timeout, follow_redirects=False)


def open_model(
    provider: ModelProvider, name: str, *, base_url: str, key: str | None, http: Any
) -> "Model":
    """Return a provider's model as the library calls it; raises InvalidSettings."""
    key = key or _NO_KEY
    at: dict[str, Any] = {"base_url": base_url, "api_key": key, "http_client": http}
    try:
        if provider.protocol == "anthropic":
            at["base_url"] = base_url.removesuffix("/v1")  # which the protocol itself adds
            from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
            from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

            return AnthropicModel(name, provider=AnthropicProvider(**at))
        if provider.protocol == "google":
            from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
            from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

            return GoogleModel(name, provider=GoogleProvider(**at))
        return _open_openai(provider, name, at)
    except ImportError as error:
        raise _missing(error) from None


def _missing(error: ImportError) -> InvalidSettings:
    return InvalidSettings(f"{error.name} is not installed: {installation_hint('llm')}")


def _open_openai(provider: ModelProvider, name: str, at: dict[str, Any]) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    if provider.protocol == "responses":
        return OpenAIResponsesModel(name, provider=OpenAIProvider(**at))
    if provider.name == "openrouter":
        from openai import AsyncOpenAI  # noqa: PLC0415
        from pydantic_ai.providers.openrouter import OpenRouterProvider  # noqa: PLC0415

        # Not the library's model of OpenRouter, which requires fields that proxies leave out.
        router = OpenRouterProvider(openai_client=AsyncOpenAI(**at))
        return OpenAIChatModel(name, provider=router)
    if provider.name == "openai" or at["base_url"] == PROVIDERS["openai"].base_url:
        return OpenAIChatModel(name, provider=OpenAIProvider(**at))
    is_ollama = provider.name == "ollama"
    server = OllamaProvider(**at) if is_ollama else OpenAICompatibleProvider(provider.name, **at)
    # Other servers know the older name of the limit, `max_tokens`, and not all know the newer one.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAIChatModel(name, provider=server, profile=profile)
