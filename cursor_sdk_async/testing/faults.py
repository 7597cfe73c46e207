"""What goes wrong at the scripted bridge: frozen dataclasses, sent to the process as JSON.

:class:`ProcessFaults` are about the process, :class:`CallFault` about one RPC, :class:`StreamFault` about the
frames of a stream. The last two can be changed while the process runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cursor_sdk_async.testing._plain import from_plain, to_plain
from cursor_sdk_async.testing.steps import empty

__all__ = ["CallFault", "Faults", "ProcessFaults", "StreamFault"]


@dataclass(frozen=True)
class ProcessFaults:
    """What the process does wrong.

    Attributes:
        stderr_before: Bytes of lines on stderr before the ready line.
        stderr_same_line: Characters on the same line, before the ready line.
        stderr_after: Bytes of lines on stderr after the ready line.
        stdout: Bytes of lines on stdout, after the ready line.
        crlf: The ready line ends with CR LF.
        fragments: The ready line is written in pieces of that many bytes.
        ready_line: Write this instead of the ready line (``{url}`` and the like are not replaced).
        ready_seconds: Wait so long before the ready line.
        never_ready: Write no ready line.
        exit_before_ready: Exit with this code instead of becoming ready.
        exit_after_ready: Exit with this code right after the ready line.
        crash_after_seconds: Die of SIGKILL so long after the ready line.
        ignore_sigterm: SIGTERM and SIGINT do nothing.
        ignore_shutdown: The Shutdown RPC is answered and does nothing.
        stop: Stop itself (SIGSTOP) after the ready line.
        cleanup_seconds: Take so long to end when asked.
        cleanup_marker: A file that is written when that is done.
        grandchild: Start a child that keeps stderr open; it ends after a minute.
        drop_connections: Accept that many connections and close them at once.
    """

    stderr_before: int = 0
    stderr_same_line: int = 0
    stderr_after: int = 0
    stdout: int = 0
    crlf: bool = False
    fragments: int = 0
    ready_line: str | None = None
    ready_seconds: float = 0.0
    never_ready: bool = False
    exit_before_ready: int | None = None
    exit_after_ready: int | None = None
    crash_after_seconds: float | None = None
    ignore_sigterm: bool = False
    ignore_shutdown: bool = False
    stop: bool = False
    cleanup_seconds: float = 0.0
    cleanup_marker: str | None = None
    grandchild: bool = False
    drop_connections: int = 0


@dataclass(frozen=True)
class CallFault:
    """What goes wrong with one RPC, a stream included (at its opening).

    Attributes:
        rpc: Its name, such as ``CreateAgent``; ``*`` is every RPC.
        kind: What happens:

            - ``error``: a Connect error with ``code``, ``message``, ``sdk_code``, ``details``;
            - ``status``: an HTTP answer with ``status``, ``body`` and ``content_type``, nothing of Connect;
            - ``slow``: handled ``seconds`` later;
            - ``slow_answer``: handled now, answered ``seconds`` later;
            - ``drop``: the connection is closed, nothing is handled;
            - ``drop_after``: handled, and the connection is closed instead of an answer;
            - ``silence``: handled and never answered;
            - ``half``: half of the answer, then the connection is closed;
            - ``garbage``: an answer that cannot be decoded;
            - ``crash``: SIGKILL before it is handled; ``crash_after``: after it, before the answer.
        times: How often; None is always.
        skip: So many calls go well first.
        details: ``requestId``, ``retryAfter``, ``rateLimit``, ``helpUrl``, ``provider`` of the error.
        debug: Whether the error's details carry their readable copy.
    """

    rpc: str
    kind: Literal[
        "error",
        "status",
        "slow",
        "slow_answer",
        "drop",
        "drop_after",
        "silence",
        "half",
        "garbage",
        "crash",
        "crash_after",
    ] = "error"
    times: int | None = None
    skip: int = 0
    seconds: float = 0.0
    code: str = "internal"
    message: str = "scripted failure"
    sdk_code: str | None = None
    details: Mapping[str, Any] = field(default_factory=empty)
    debug: bool = True
    status: int = 502
    body: str = "<html><body>Bad Gateway</body></html>"
    content_type: str = "text/html"
    headers: Mapping[str, str] = field(default_factory=empty)


@dataclass(frozen=True)
class StreamFault:
    """What goes wrong within a stream.

    Attributes:
        kind: What happens instead of frame ``frame``, unless said otherwise:

            - ``cut``: the connection is reset; ``no_end``: the body ends well, without an end record;
            - ``half_header``, ``half_frame``: part of the envelope, then the body ends;
            - ``error_end``: an end record with ``code`` and ``message``; ``bad_end``: one that is not JSON;
            - ``after_end``: a good end record, and the frame after it;
            - ``compressed``: the frame says that it is compressed and is not;
            - ``garbage``: an envelope that cannot be decoded;
            - ``length``: an envelope that announces ``size`` bytes, and nothing more;
            - ``content_type``: the answer has ``value`` as its content type (``frame`` does not matter);
            - ``silence``: nothing more, ever; ``delay``: the frame comes ``seconds`` later;
            - ``repeat``: the frame comes twice; ``renumber``: offsets begin at 1 again;
            - ``lose_result``: result and done are left out (``frame`` does not matter);
            - ``unknown_status``: the result has a status of a newer contract (``frame`` does not matter);
            - ``bytes``: every byte is a chunk of its own; ``coalesce``: up to 64 KiB are sent at once;
            - ``crash``: the process dies of SIGKILL.
        frame: Number of the frame in its stream, from 1, keep-alives not counted; 1 also means before the
            headers.
        rpc: ``Send``, ``ObserveRun``, ``DownloadArtifact``; ``*`` is any.
        times: In how many streams; None is all.
        skip: So many streams go well first.
        abort: For ``half_header`` and ``half_frame``: reset the connection instead of ending the body well.
    """

    kind: Literal[
        "cut",
        "no_end",
        "half_header",
        "half_frame",
        "error_end",
        "bad_end",
        "after_end",
        "compressed",
        "garbage",
        "length",
        "content_type",
        "silence",
        "delay",
        "repeat",
        "renumber",
        "lose_result",
        "unknown_status",
        "bytes",
        "coalesce",
        "crash",
    ]
    frame: int = 1
    rpc: str = "*"
    times: int | None = None
    skip: int = 0
    seconds: float = 0.0
    code: str = "unavailable"
    message: str = "scripted failure"
    value: str = "text/html"
    size: int = 0xFFFF_FFFF
    abort: bool = False


@dataclass(frozen=True)
class Faults:
    """All that goes wrong."""

    process: ProcessFaults = ProcessFaults()
    calls: Sequence[CallFault] = ()
    streams: Sequence[StreamFault] = ()

    def to_json(self) -> str:
        """The faults as text; :meth:`from_json` reads it."""
        return json.dumps(to_plain(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Faults:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: It is something else.
        """
        kinds = (ProcessFaults, CallFault, StreamFault, cls)
        made = from_plain(json.loads(text), {kind.__name__: kind for kind in kinds})
        if not isinstance(made, Faults):
            raise ValueError("these are no faults")
        return made
