"""Playing a turn: steps of the script become records of a run."""

from __future__ import annotations

import asyncio
import math
import os
import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from cursor_sdk_async.testing import _stderr, steps
from cursor_sdk_async.testing._records import Record, Run, prune
from cursor_sdk_async.testing.script import Turn

if TYPE_CHECKING:
    from cursor_sdk_async.testing._bridge import Bridge

__all__ = ["die", "play"]

Json = dict[str, Any]
LARGEST_TEXT = 4 * 1024 * 1024


def finite(value: Any) -> Any:
    """As JSON can show it: what is no number is null."""
    if isinstance(value, Mapping):
        return {name: finite(item) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in cast("list[Any]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def die(code: int) -> None:
    """End the process now: by exit code, or by signal if it is negative."""
    if code >= 0:
        os._exit(code)
    os.kill(os.getpid(), -code)
    signal.pause()


async def play(bridge: Bridge, run: Run, turn: Turn) -> None:
    """Play a turn to its end; cancelled with the run."""
    run.begin()
    if not run.agent.cloud:
        run.append(run.say("request", {"request_id": bridge.new_id("")}))
    else:
        run.append(run.say("status", {"status": "CREATING"}))
    run.status = "RUNNING"
    run.append(run.say("status", {"status": "RUNNING"}))
    player = Player(bridge, run)
    for step in turn.steps:
        if isinstance(step, steps.Fail):
            turn = Turn(status="ERROR", error_message=step.message, error_code=step.code)
            break
        await player.step(step)
    player.flush()
    finish(run, turn)
    bridge.save(run)


def finish(run: Run, turn: Turn) -> None:
    """The end that the turn wants."""
    run.result = turn.result
    run.branches = [dict(branch) for branch in turn.branches]
    run.error_code, run.error_message = turn.error_code, turn.error_message
    message = {"message": turn.error_message} if turn.error_message else {}
    # One step, so that no reader sees the last status without the result.
    run.log.append(run.say("status", {"status": turn.status, **message}))
    if run.text or run.steps:
        run.agent.remember("assistant", "".join(run.text))
    run.finish(turn.status)


class Player:
    """Turns steps into records; text and thinking are joined until something else comes."""

    def __init__(self, bridge: Bridge, run: Run) -> None:
        self._bridge = bridge
        self._run = run
        self._open: tuple[str, list[str]] = ("", [])
        self._calls = 0

    async def step(self, step: steps.Step) -> None:
        """Play one step."""
        handler: Callable[[Any], Any] | None = getattr(self, f"_{type(step).__name__.lower()}", None)
        if handler is not None:
            waiting = handler(step)
            if waiting is not None:
                await waiting
        self._bridge.save(self._run)

    def flush(self) -> None:
        """Complete the step that is open."""
        kind, pieces = self._open
        self._open = ("", [])
        if kind:
            if kind == "thinkingMessage":
                self._delta("thinking-completed", {"thinkingDurationMs": 1})
            self._completed(kind, {"text": "".join(pieces)})

    def _delta(self, kind: str, payload: Json) -> None:
        self._run.append(Record("update", kind, {"type": kind, **payload}))

    def _completed(self, kind: str, message: Json) -> None:
        step = {"type": kind, "message": message}
        self._run.steps.append(step)
        self._run.append(Record("step", kind, step))

    def _join(self, kind: str, text: str) -> None:
        if self._open[0] != kind:
            self.flush()
            self._open = (kind, [])
        self._open[1].append(text)

    def _say(self, text: str) -> None:
        self._join("assistantMessage", text)
        self._run.text.append(text)
        self._delta("text-delta", {"text": text})
        content = [{"type": "text", "text": text}]
        self._run.append(self._run.say("assistant", {"message": {"role": "assistant", "content": content}}))

    def _text(self, step: steps.Text) -> None:
        self._say(step.text)

    def _echo(self, _: steps.Echo) -> None:
        self._say(self._run.prompt)

    def _fill(self, step: steps.Fill) -> None:
        self._say(step.character * step.size)

    def _burst(self, step: steps.Burst) -> None:
        self.flush()
        if step.count * step.size <= LARGEST_TEXT:
            self._run.text.extend(f"{number} ".ljust(step.size, ".") for number in range(step.count))
        self._run.append(Record("burst", "", (step.count, step.size)))

    def _thinking(self, step: steps.Thinking) -> None:
        self._join("thinkingMessage", step.text)
        self._delta("thinking-delta", {"text": step.text})
        shown = prune({"text": step.text, "thinking_duration_ms": step.duration_ms})
        self._run.append(self._run.say("thinking", shown))

    async def _toolcall(self, step: steps.ToolCall) -> None:
        call_id = self._started(step.name, step.args, step.call_id)
        await asyncio.sleep(step.seconds)
        if step.error is None:
            self._ended(step.name, step.args, call_id, "completed", step.result)
        else:
            result = {"status": "error", "error": step.error}
            self._ended(step.name, step.args, call_id, "error", result)

    async def _calltool(self, step: steps.CallTool) -> None:
        async def one() -> None:
            call_id = self._started(step.name, step.args, step.call_id)
            agent = step.agent_id or self._run.agent.id
            status, result = await self._bridge.tools.call(step.name, dict(step.args), call_id, agent)
            self._ended(step.name, step.args, call_id, status, result)

        await asyncio.gather(*(one() for _ in range(step.times)))

    def _started(self, name: str, args: Any, call_id: str | None) -> str:
        self.flush()
        self._calls += 1
        call_id = call_id or f"call-{self._run.id[-8:]}-{self._calls}"
        args = finite(args)
        call = {"type": name, "args": args}
        ids = {"callId": call_id, "modelCallId": f"model-{call_id}"}
        self._delta("tool-call-started", {**ids, "toolCall": call})
        shown = {"call_id": call_id, "name": name, "status": "running", "args": args}
        self._run.append(self._run.say("tool_call", shown))
        return call_id

    def _ended(self, name: str, args: Any, call_id: str, status: str, result: Any) -> None:
        args, result = finite(args), finite(result)
        call = {"type": name, "args": args, "result": result}
        ids = {"callId": call_id, "modelCallId": f"model-{call_id}"}
        self._delta("tool-call-completed", {**ids, "toolCall": call})
        self._completed("toolCall", call)
        shown = {"call_id": call_id, "name": name, "status": status, "args": args, "result": result}
        self._run.append(self._run.say("tool_call", shown))

    def _usage(self, step: steps.Usage) -> None:
        self.flush()
        counts = {
            "inputTokens": step.input_tokens,
            "outputTokens": step.output_tokens,
            "cacheReadTokens": step.cache_read_tokens,
            "cacheWriteTokens": step.cache_write_tokens,
        }
        if step.reasoning_tokens is not None:
            counts["reasoningTokens"] = step.reasoning_tokens
        self._delta("turn-ended", {"usage": counts})
        # The total of a run leaves the caches out; the total of GetUsage does not.
        usage = {**counts, "totalTokens": step.input_tokens + step.output_tokens}
        self._run.count(usage)
        self._run.append(self._run.say("usage", {"usage": usage}))

    def _status(self, step: steps.Status) -> None:
        self._run.append(self._run.say("status", prune({"status": step.status, "message": step.message})))

    def _wait(self, step: steps.Wait) -> Any:
        return asyncio.sleep(step.seconds)

    def _hold(self, step: steps.Hold) -> Any:
        return self._bridge.holds.wait(step.name)

    def _keepalive(self, _: steps.KeepAlive) -> None:
        self._run.append(Record("keep_alive"))

    def _message(self, step: steps.Message) -> None:
        self._run.append(self._run.say(step.type, step.payload))

    def _update(self, step: steps.Update) -> None:
        self._delta(step.type, dict(step.payload))

    def _stepframe(self, step: steps.StepFrame) -> None:
        self._run.append(Record("step", step.type, {"type": step.type, **step.payload}))

    def _unknownarm(self, step: steps.UnknownArm) -> None:
        self._run.append(Record("arm", step.name, dict(step.payload)))

    def _rawframe(self, step: steps.RawFrame) -> None:
        self._run.append(Record("raw", "", (step.flags, step.payload)))

    def _stderr(self, step: steps.Stderr) -> None:
        _stderr.flood(step.size, step.line)

    def _exit(self, step: steps.Exit) -> None:
        die(step.code)
