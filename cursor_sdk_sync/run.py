"""Run: one prompt, for callers who wait."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Self

from cursor_sdk_async import AsyncRun
from cursor_sdk_sync._older import older
from cursor_sdk_sync._twin import blocking_words, twin_of

if TYPE_CHECKING:
    from cursor_sdk_async import (
        ConversationTurn,
        ModelSelection,
        RunGitInfo,
        RunPosition,
        RunResult,
        RunStreamEvent,
        SDKMessage,
        TokenUsage,
    )
    from cursor_sdk_sync.client import CursorClient

__all__ = ["Run"]


@twin_of(AsyncRun)
class Run:
    def __init__(self, client: CursorClient, twin: AsyncRun) -> None:
        self._client = client
        self._twin = twin
        self._portal = client.portal

    @property
    def client(self) -> CursorClient:
        return self._client

    @property
    def id(self) -> str:
        return self._twin.id

    @property
    def agent_id(self) -> str:
        return self._twin.agent_id

    @property
    def status(self) -> str:
        return self._twin.status

    @property
    def result(self) -> str:
        return self._twin.result

    @property
    def model(self) -> ModelSelection | None:
        return self._twin.model

    @property
    def duration_ms(self) -> int:
        return self._twin.duration_ms

    @property
    def git(self) -> RunGitInfo | None:
        return self._twin.git

    @property
    def created_at(self) -> str | None:
        return self._twin.created_at

    @property
    def usage(self) -> TokenUsage | None:
        return self._twin.usage

    def events(
        self, *, timeout: float | None = None, idle_timeout: float | None = None
    ) -> Iterator[RunStreamEvent]:
        events = self._twin.events(timeout=timeout, idle_timeout=idle_timeout)
        return self._portal.iterate(events, self._twin.interrupt)

    def __iter__(self) -> Iterator[RunStreamEvent]:
        return self.events()

    def messages(
        self, *, timeout: float | None = None, idle_timeout: float | None = None
    ) -> Iterator[SDKMessage]:
        messages = self._twin.messages(timeout=timeout, idle_timeout=idle_timeout)
        return self._portal.iterate(messages, self._twin.interrupt)

    def stream(
        self, *, timeout: float | None = None, idle_timeout: float | None = None
    ) -> Iterator[SDKMessage]:
        return self.messages(timeout=timeout, idle_timeout=idle_timeout)

    def iter_text(self, *, timeout: float | None = None, idle_timeout: float | None = None) -> Iterator[str]:
        iter_text = self._twin.iter_text(timeout=timeout, idle_timeout=idle_timeout)
        return self._portal.iterate(iter_text, self._twin.interrupt)

    def text(self, *, timeout: float | None = None, idle_timeout: float | None = None) -> str:
        text = partial(self._twin.text, timeout=timeout, idle_timeout=idle_timeout)
        return self._portal.watch(self._twin.interrupt, text)

    def wait(self, *, timeout: float | None = None) -> RunResult:
        return self._portal.watch(self._twin.interrupt, partial(self._twin.wait, timeout=timeout))

    def display(self, *, how: Literal["auto", "notebook", "terminal", "plain"] = "auto") -> RunResult:
        return self._portal.watch(self._twin.interrupt, self._twin.display, how=how)

    def cancel(self, *, wait: bool = False) -> None:
        self._portal.call(partial(self._twin.cancel, wait=wait))

    @property
    def position(self) -> RunPosition:
        return self._twin.position

    def observe(
        self, *, after_offset: str | None = None, after: RunPosition | None = None
    ) -> Iterator[RunStreamEvent]:
        events = self._twin.observe(after_offset=after_offset, after=after)
        return self._portal.iterate(events, self._twin.client.settle)

    def conversation(self) -> list[ConversationTurn]:
        return self._portal.watch(self._twin.interrupt, self._twin.conversation)

    def conversation_json(self) -> str:
        return self._portal.watch(self._twin.interrupt, self._twin.conversation_json)

    def supports(self, operation: str) -> bool:
        return self._twin.supports(operation)

    def unsupported_reason(self, operation: str) -> str | None:
        return self._twin.unsupported_reason(operation)

    def on_did_change_status(self, listener: Callable[[str], Any | Awaitable[Any]]) -> Callable[[], None]:
        return self._twin.on_did_change_status(listener)

    @property
    def run_id(self) -> str:
        older("Run.run_id", "Run.id")
        return self.id

    @run_id.setter
    def run_id(self, value: str) -> None:
        older("Run.run_id", "Run.id")
        self._twin.run_id = value

    def unsupportedReason(self, operation: str) -> str | None:  # noqa: N802 - the documented name
        older("Run.unsupportedReason", "Run.unsupported_reason")
        return self.unsupported_reason(operation)

    def close(self) -> None:
        self._portal.finish(self._twin.aclose)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._portal.finish(partial(self._twin.__aexit__, None, None, None))

    def __repr__(self) -> str:
        return blocking_words(repr(self._twin))

    def _repr_html_(self) -> str:
        return self._twin._repr_html_()

    def __rich__(self) -> Any:
        return self._twin.__rich__()

    def __reduce__(self) -> tuple[Any, ...]:
        return self._twin.__reduce__()
