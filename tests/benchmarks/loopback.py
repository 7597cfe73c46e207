"""A loopback server that is much faster than a bridge: answers and frames are made before they are asked for.

``python -m tests.benchmarks.loopback`` prints its port and runs until its stdin ends. It speaks JSON, and
knows what the benchmarks need: an agent is created and closed, ``Ping`` is answered, and ``Send`` streams a
run. The prompt says how: ``"20000 0"`` is 20,000 messages flat out, each in an HTTP chunk of its own, as the
bridge writes them; ``"40 0.05"`` is 40 messages, one every 0.05 s, counted from the start so that a delay
does not add up.
"""

from __future__ import annotations

import asyncio
import json
import struct
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

__all__ = ["RAW_REQUEST", "SERVICE", "server"]

SERVICE = "/sdk.v1.SdkAgentService"
AGENT, RUN = "agent-0", "run-00000000"
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n"
)
ANSWER_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
    b"Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n"
)
ANSWERS = {
    "CreateAgent": {"agentId": AGENT, "model": {"id": "plain"}},
    "Ping": {"message": "pong"},
}
RAW_REQUEST = (
    "POST {path} HTTP/1.1\r\nHost: loopback\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
)


def _chunk(flag: int, payload: Any) -> bytes:
    """One frame of a stream, in an HTTP chunk of its own."""
    body = json.dumps(payload, separators=(",", ":")).encode()
    frame = struct.pack(">BI", flag, len(body)) + body
    return b"%x\r\n%b\r\n" % (len(frame), frame)


def _message(number: int) -> bytes:
    names = {"agent_id": AGENT, "run_id": RUN}
    content = [{"type": "text", "text": f"piece {number} of the answer "}]
    message = {"type": "assistant", **names, "message": {"role": "assistant", "content": content}}
    return _chunk(0, {"sdkMessage": {"type": "assistant", "message": message}, "offset": str(number)})


def _end() -> bytes:
    names = {"agentId": AGENT, "runId": RUN}
    finished = {**names, "status": "RUN_LIFECYCLE_STATUS_FINISHED"}
    result = {**finished, "result": {**finished, "result": "done", "durationMs": "1"}}
    return _chunk(0, {"result": result}) + _chunk(0, {"done": names}) + _chunk(2, {}) + b"0\r\n\r\n"


class _Connection(asyncio.Protocol):
    """One connection: requests one after the other, with a length and without pipelining."""

    numbers = 0
    messages: tuple[bytes, ...] = tuple(map(_message, range(1, 1001)))
    end: bytes = _end()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._got = transport, b""

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.decode().lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
        if len(body) < length:
            return
        self._got = body[length:]
        self._answer(head.split(b" ")[1].decode().rpartition("/")[2], body[:length])

    def _answer(self, method: str, body: bytes) -> None:
        if method == "Send":
            count, interval = json.loads(body[5:])["message"]["text"].split()
            self._stream(int(count), float(interval))
            return
        answer = json.dumps(ANSWERS.get(method, {})).encode()
        self._transport.write(ANSWER_HEAD % len(answer) + answer)

    def _stream(self, count: int, interval: float) -> None:
        _Connection.numbers += 1
        run = b"run-%08d" % _Connection.numbers
        known = len(self.messages)
        frames = [self.messages[at % known].replace(RUN.encode(), run) for at in range(count)]
        end = self.end.replace(RUN.encode(), run)
        if not interval:
            self._transport.write(b"".join([HEAD, *frames, end]))
            return
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._transport.write(HEAD + frames[0])
        for at, frame in enumerate([*frames[1:], end], 1):
            loop.call_at(begun + at * interval, self._transport.write, frame)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=2048)
    print(listener.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def server() -> Generator[int]:
    """The port of a server in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.loopback"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(_serve())
