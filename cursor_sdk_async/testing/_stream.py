"""The frames of a stream: envelopes, offsets, keep-alives, the end record, and what goes wrong with them.

Facts: docs/protocol.md, "Run streams". A stream ends with its run, with its client, or with a fault.
"""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING, Any

from cursor_sdk_async._connect._envelope import COMPRESSED, END_OF_STREAM, encode_envelope
from cursor_sdk_async.testing import _codec
from cursor_sdk_async.testing._errors import RpcError, plain
from cursor_sdk_async.testing._handle import Handle
from cursor_sdk_async.testing._http import Exchange, Gone
from cursor_sdk_async.testing._play import die

if TYPE_CHECKING:
    from cursor_sdk_async.testing._bridge import Bridge

__all__ = ["Frames", "send_chunks", "send_run"]

Json = dict[str, Any]
CHUNK = 1024 * 1024
SMALLEST_COMPRESSED = 1024
COALESCED = 64 * 1024
FRAMES_A_TURN = 64  # then other tasks have their turn
NEWER_STATUS = 99


class Frames:
    """Writes one stream."""

    def __init__(self, bridge: Bridge, exchange: Exchange, rpc: str, *, as_json: bool) -> None:
        self.as_json = as_json
        self.sent = 0
        self._exchange = exchange
        self._kind = "application/connect+json" if as_json else "application/connect+proto"
        self._compress = "gzip" in exchange.headers.get("connect-accept-encoding", "")
        self._faults = {fault.kind: fault for fault in bridge.faulty.stream(rpc)}
        self._held = bytearray()
        self._last = b""

    def has(self, kind: str) -> bool:
        """Whether this stream has that fault."""
        return kind in self._faults

    def offset(self, number: int) -> str:
        """The offset of a frame."""
        fault = self._faults.get("renumber")
        return str(number - fault.frame + 1 if fault is not None and number >= fault.frame else number)

    async def frame(self, payload: bytes, flags: int = 0, *, counted: bool = True) -> None:
        """One message."""
        if counted:
            self.sent += 1
            await self._strike(payload)
        if self._compress and len(payload) >= SMALLEST_COMPRESSED:
            payload, flags = gzip.compress(payload), flags | COMPRESSED
        if counted and self._due("compressed"):
            flags |= COMPRESSED
        envelope = self._last = encode_envelope(payload, flags)
        await self._write(envelope * (2 if counted and self._due("repeat") else 1))

    async def end(self, error: RpcError | None = None) -> None:
        """The end record."""
        self.sent += 1
        await self._strike(b"{}")
        record = {} if error is None else {"error": error.body()}
        await self._end(_codec.dumps(record))

    async def _end(self, record: bytes) -> None:
        self._flush()
        await self._write(encode_envelope(record, END_OF_STREAM))
        if self.has("after_end"):
            await self._write(self._last)
        self._flush()
        self._exchange.end()
        await self._exchange.drain()

    def _due(self, kind: str) -> bool:
        fault = self._faults.get(kind)  # type: ignore[call-overload]
        return fault is not None and fault.frame == self.sent

    async def _strike(self, payload: bytes) -> None:
        """What the faults want instead of this frame."""
        for kind, fault in self._faults.items():
            if fault.frame != self.sent:
                continue
            if kind == "cut":
                self._flush()
                await self._exchange.drain()
                self._exchange.abort()
                raise Gone
            if kind == "crash":
                self._flush()
                await asyncio.sleep(0.05)  # what is written reaches the client first
                die(-9)
            elif kind == "delay":
                self._flush()
                await asyncio.sleep(fault.seconds)
            elif kind == "silence":
                self._flush()
                await asyncio.Event().wait()
            elif kind in ("error_end", "bad_end"):
                error = {"error": RpcError(fault.code, fault.message).body()}
                await self._end(_codec.dumps(error) if kind == "error_end" else b"<end>")
                raise Gone
            elif kind in ("no_end", "half_header", "half_frame", "garbage", "length"):
                await self._damage(kind, payload, fault.size, fault.abort)

    async def _damage(self, kind: str, payload: bytes, size: int, abort: bool) -> None:
        envelope = encode_envelope(payload)
        if kind == "half_header":
            await self._write(envelope[:3])
        elif kind == "half_frame":
            await self._write(envelope[: 5 + len(payload) // 2])
        elif kind == "garbage":
            await self._write(encode_envelope(b"\xff\xfe\xfd not a message"))
        elif kind == "length":
            await self._write(b"\0" + size.to_bytes(4, "big") + b"{}")
        self._begin()
        self._flush()
        await self._exchange.drain()
        if kind == "length":
            await asyncio.Event().wait()
        if kind == "garbage":
            await self._end(b"{}")
        elif abort:
            self._exchange.abort()
        else:
            self._exchange.end()
        raise Gone

    def _begin(self) -> None:
        if not self._exchange.streaming:
            fault = self._faults.get("content_type")
            headers = {"connect-content-encoding": "gzip"} if self._compress else {}
            self._exchange.begin(self._kind if fault is None else fault.value, headers)

    async def _write(self, data: bytes) -> None:
        self._begin()
        if self.has("bytes"):
            for position in range(len(data)):
                self._exchange.write(data[position : position + 1])
                if position % FRAMES_A_TURN == 0:
                    await self._exchange.drain()
            return
        if self.has("coalesce"):
            self._held += data
            if len(self._held) < COALESCED:
                return
            self._flush()
        else:
            self._exchange.write(data)
        await self._exchange.drain()
        if self.sent % FRAMES_A_TURN == 0:
            await asyncio.sleep(0)

    def _flush(self) -> None:
        if self._held:
            self._exchange.write(bytes(self._held))
            self._held.clear()

    def flush(self) -> None:
        """Send what was held back: nothing comes for now."""
        self._flush()


async def send_run(bridge: Bridge, frames: Frames, handle: Handle, body: Json) -> None:
    """The frames of a run, to its result; ``body`` is the request of Send or ObserveRun."""
    options = body.get("options", {})
    shown = {"message", "keep_alive", "raw", "arm"}
    shown |= {"update"} if options.get("enableDeltas") else set()
    shown |= {"step"} if options.get("enableSteps") else set()
    after = leading_integer(body.get("afterOffset", ""))
    number = 0

    async def emit(value: Json, unknown: str = "") -> None:
        nonlocal number
        number += 1
        if number > after:
            value["offset"] = frames.offset(number)
            await frames.frame(_codec.encode_frame(value, as_json=frames.as_json, unknown=unknown))

    while True:
        record = handle.take()
        if record is None:
            if handle.over:
                break
            frames.flush()
            try:
                await asyncio.wait_for(handle.run.changed(), bridge.script.keep_alive_seconds)
            except asyncio.TimeoutError:
                await frames.frame(_codec.encode_frame({}, as_json=frames.as_json), counted=False)
        elif record.kind not in shown:
            continue
        elif record.kind == "keep_alive":
            await frames.frame(_codec.encode_frame({}, as_json=frames.as_json), counted=False)
        elif record.kind == "raw":
            await frames.frame(record.payload[1], record.payload[0])
        elif record.kind == "arm":
            await emit({record.type: record.payload}, record.type)
        else:
            await emit(envelope_of(record.kind, record.type, record.payload))
    if not frames.has("lose_result"):
        run, result = handle.run, handle.result()
        ids = {"agentId": run.agent.id, "runId": run.id}
        status: Any = NEWER_STATUS if frames.has("unknown_status") else result["status"]
        shown_result = {**ids, "status": status, "result": {**result, "status": status}}
        if "errorCode" in result:
            shown_result["errorCode"] = result["errorCode"]
        await emit({"result": shown_result})
        await emit({"done": ids})
    await frames.end()


def envelope_of(kind: str, name: str, payload: Json) -> Json:
    """The arm of a record."""
    if kind == "message":
        return {"sdkMessage": {"type": name, "message": payload}}
    if kind == "update":
        return {"interactionUpdate": {"type": name, "update": payload}}
    return {"step": {"type": name, "step": payload}}


async def send_chunks(frames: Frames, data: bytes) -> None:
    """A file, in chunks."""
    for start in range(0, len(data), CHUNK):
        await frames.frame(_codec.chunk(data[start : start + CHUNK], as_json=frames.as_json))
    await frames.end()


def leading_integer(text: str) -> int:
    """As the real bridge reads an offset: the digits at the front, else 0."""
    digits = len(text) - len(text.lstrip("0123456789"))
    return int(text[:digits]) if digits else 0


def missing_message() -> RpcError:
    """The body of a streaming request has no envelope."""
    return plain("unimplemented", "protocol error: missing input message for server-streaming method")
