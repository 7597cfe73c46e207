"""Running tools: each call in a task of its own, blocking functions in worker threads of their own.

Nothing leaks: the tasks belong to the group that is given, and end with it. Nothing hangs: a call that is
cancelled, or takes longer than its tool may, is answered at once, whether or not the tool heeds it.
What a tool raises, ``SystemExit`` and ``KeyboardInterrupt`` included, ends its own call only.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from contextvars import Context, copy_context
from typing import Any

import anyio
import anyio.abc
import anyio.to_thread

from cursor_sdk_async._callbacks._request import CANCELLED_STATUS, Answer, refusal
from cursor_sdk_async._callbacks._results import Unsendable, error_result, error_text, result_body
from cursor_sdk_async.errors import ToolError
from cursor_sdk_async.options import CustomTool, CustomToolContext

__all__ = ["THREADS", "Executor", "Registration"]

logger = logging.getLogger("cursor_sdk_async.tools")

#: How many blocking tools run at once, for all agents of one listener; further calls wait for a thread.
THREADS = 100


class Registration:
    """The tools of one agent, and its calls that run.

    Args:
        agent_id: The agent.
        tools: Its tools by name.
        secrets: Texts that must not reach the model in an error.

    Attributes:
        context: The context variables that its tools see: those of the last ``send()``.
    """

    def __init__(self, agent_id: str, tools: Mapping[str, CustomTool], secrets: tuple[str, ...] = ()) -> None:
        self.agent_id = agent_id
        self.tools: Mapping[str, CustomTool] = dict(tools)
        self.context: Context = copy_context()
        self._secrets = secrets
        self._calls: set[_Call] = set()
        self._slots: dict[str, anyio.Semaphore] = {}

    def __repr__(self) -> str:
        return f"<Registration {self.agent_id!r}: {len(self.tools)} tools, {len(self._calls)} calls>"

    @property
    def running(self) -> int:
        """How many calls run, or wait for their turn."""
        return len(self._calls)

    def cancel_calls(self, reason: str) -> None:
        """Cancel what runs; each is answered at once."""
        for call in list(self._calls):
            call.cancel(reason)

    def renew(self) -> None:
        """It moves to another listener, and perhaps to another loop."""
        self.cancel_calls("the callback server was replaced")
        self._slots.clear()

    def slot(self, name: str, most: int) -> anyio.Semaphore:
        """Where calls of a tool wait of which only so many may run at once."""
        if name not in self._slots:
            self._slots[name] = anyio.Semaphore(most)
        return self._slots[name]

    def explain(self, error: BaseException) -> str:
        """What the model is told."""
        return error_text(error, self._secrets)


class Executor:
    """Runs tools.

    Args:
        group: Where the calls run.
        threads: How many blocking tools may run at once.
    """

    def __init__(self, group: anyio.abc.TaskGroup, threads: int = THREADS) -> None:
        self._group = group
        self._threads = anyio.CapacityLimiter(threads)

    async def answer(
        self, registration: Registration, name: str, args: Mapping[str, Any], tool_call_id: str | None
    ) -> Answer:
        """Run a tool, which there must be, and answer for it. Cancelling this cancels the call."""
        context = CustomToolContext(tool_call_id, registration.agent_id, name)
        call = _Call(registration.tools[name], args, context, self._threads)
        registration._calls.add(call)
        try:
            most = call.tool.max_concurrency
            if most is None:
                await self._run(registration, call)
            else:
                with anyio.CancelScope() as call.queue:
                    async with registration.slot(name, most):
                        await self._run(registration, call)
        except anyio.get_cancelled_exc_class():
            call.cancel("the bridge hung up, or the callback server was closed")
            raise
        finally:
            registration._calls.discard(call)
        return call.answer(registration)

    async def _run(self, registration: Registration, call: _Call) -> None:
        # The task copies the context in which it is started.
        registration.context.run(self._group.start_soon, call.run)
        if call.tool.timeout is None:
            await call.done.wait()
            return
        with anyio.move_on_after(call.tool.timeout):
            await call.done.wait()
        call.time_out()


class _Call:
    """One call of a tool."""

    def __init__(
        self,
        tool: CustomTool,
        args: Mapping[str, Any],
        context: CustomToolContext,
        threads: anyio.CapacityLimiter,
    ) -> None:
        self.tool = tool
        self.done = anyio.Event()
        self.queue: anyio.CancelScope | None = None
        self._args = args
        self._context = context
        self._threads = threads
        self._scope: anyio.CancelScope | None = None
        self._value: list[object] = []
        self._error: BaseException | None = None
        self._stopped = ""
        self._timed_out = False

    async def run(self) -> None:
        """The task of the call; raises nothing."""
        try:
            with anyio.CancelScope() as self._scope:
                if not self._stopped:
                    self._value.append(await self._execute())
        except GeneratorExit:
            raise  # the loop is gone
        except anyio.get_cancelled_exc_class() as error:
            self._context.cancel()  # a thread that goes on has to know
            if self._stopped:
                raise
            # Its own doing, as by awaiting what was cancelled; or everything ends, and so does this.
            self._error = error
        except BaseException as error:  # noqa: BLE001 - an exit, too, is only this call's
            self._error = error
        finally:
            self.done.set()

    async def _execute(self) -> object:
        execute = self.tool.execute
        if _is_async(execute):
            return await execute(self._args, self._context)

        def work() -> tuple[object, BaseException | None]:
            try:
                return execute(self._args, self._context), None
            except BaseException as error:  # noqa: BLE001 - backends do not carry all of them over
                return None, error

        value, self._error = await anyio.to_thread.run_sync(
            work, abandon_on_cancel=True, limiter=self._threads
        )
        return await value if inspect.isawaitable(value) else value

    def cancel(self, reason: str) -> None:
        """Nobody waits for it any more; whoever is to answer does so at once."""
        if self.done.is_set() or self._stopped:
            return
        self._stopped = reason
        self._context.cancel()
        self.done.set()
        for scope in (self._scope, self.queue):
            if scope is not None:
                scope.cancel()

    def time_out(self) -> None:
        """It took too long, unless it is over."""
        if not self.done.is_set():
            self._timed_out = True
            self.cancel("it took too long")

    def answer(self, registration: Registration) -> Answer:
        """What the bridge is told."""
        name = self._context.tool_name
        log = self._context.logger
        if self._timed_out:
            log.warning("tool %r took longer than %g s", name, self.tool.timeout)
            return Answer(
                200, error_result(f"The tool {name} did not answer within {self.tool.timeout:g} s.")
            )
        if self._stopped:
            return refusal(CANCELLED_STATUS, "canceled", f"The call was cancelled: {self._stopped}.")
        error, self._error = self._error, None
        if isinstance(error, ToolError):
            log.debug("tool %r refused: %s", name, error)
        elif error is not None:
            log.error("tool %r failed", name, exc_info=error)
        if error is not None:
            return Answer(200, error_result(registration.explain(error)))
        try:
            return Answer(200, result_body(self._value.pop()))
        except Unsendable as problem:
            log.error("tool %r returned what cannot be sent: %s", name, problem)
            return Answer(200, error_result(f"The tool {name} returned what cannot be sent: {problem}"))


def _is_async(execute: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(execute) or inspect.iscoroutinefunction(
        getattr(type(execute), "__call__", None)  # noqa: B004
    )
