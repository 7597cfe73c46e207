"""Every RPC of the contract: where it is posted, what it takes and gives, whether it may be sent again.

Facts: docs/protocol.md, "Services and RPCs" and "Retries". The rows are generated from ``protos/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from cursor_sdk_async._gen.methods import ROWS, message_type

if TYPE_CHECKING:
    from cursor_sdk_async._gen.methods import Message

__all__ = ["METHODS", "Method", "find_method"]


@dataclass(frozen=True, slots=True)
class Method:
    """One RPC.

    Attributes:
        service: Such as ``SdkAgentService``.
        name: Such as ``Send``.
        kind: One answer, or a stream of them.
        request_name: Name of the request message, such as ``SendRequest``.
        answer_name: Name of the answer message, or of one message of the stream.
        safe_to_retry: A read, which may be sent again when its answer was lost.
        long: Blocks until a run has ended, so it has no deadline by default.
        side: Who serves it.
    """

    service: str
    name: str
    kind: Literal["unary", "server_stream"]
    request_name: str
    answer_name: str
    safe_to_retry: bool
    long: bool
    side: Literal["bridge", "adapter"]

    @property
    def key(self) -> str:
        """Its key in ``METHODS``: ``SdkAgentService/Send``."""
        return f"{self.service}/{self.name}"

    @property
    def path(self) -> str:
        """What follows the base URL: ``/sdk.v1.SdkAgentService/Send``."""
        return f"/sdk.v1.{self.service}/{self.name}"

    @property
    def streams(self) -> bool:
        """Whether the answer is a stream."""
        return self.kind == "server_stream"

    @property
    def request(self) -> type[Message]:
        """The generated class of the request; the first use imports the generated classes."""
        return message_type(self.request_name)

    @property
    def answer(self) -> type[Message]:
        """The generated class of the answer, or of one message of the stream."""
        return message_type(self.answer_name)


def _table() -> dict[str, Method]:
    table: dict[str, Method] = {}
    for service, name, stream, request, answer, safe, long, adapter in ROWS:
        method = Method(
            service,
            name,
            "server_stream" if stream else "unary",
            request,
            answer,
            safe,
            long,
            "adapter" if adapter else "bridge",
        )
        table[method.key] = method
    return table


METHODS: Mapping[str, Method] = MappingProxyType(_table())


def find_method(service: str, name: str) -> Method | None:
    """The RPC of that service and name, or None; a leading ``sdk.v1.`` is allowed."""
    return METHODS.get(f"{service.removeprefix('sdk.v1.')}/{name}")
