"""Speaking to a bridge by hand, in both codecs: ``http.client`` and the official protobuf package only."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.json_format import MessageToDict, ParseDict

from cursor_sdk_async._connect._methods import METHODS, Method
from cursor_sdk_async._gen.descriptor import google_class

__all__ = ["AGENT", "CONTROL", "CURSOR", "Hand", "HandError", "Json", "kinds", "result_of", "texts"]

Json = dict[str, Any]
AGENT = "SdkAgentService/"
CONTROL = "SdkBridgeControlService/"
CURSOR = "SdkCursorService/"
SECONDS = 30.0


class HandError(Exception):
    """An error answer, of a call or in the end record of a stream."""

    def __init__(self, status: int, error: Json) -> None:
        super().__init__(f"{status} {error}")
        self.status = status
        self.error = error
        self.code: str = error.get("code", "")
        self.message: str = error.get("message", "")
        details: list[Json] = error.get("details", [])
        self.debug: Json | None = details[0].get("debug") if details else None


class Hand:
    """A client of one bridge."""

    def __init__(self, url: str, token: str, codec: str = "json") -> None:
        self._parts = urlsplit(url)
        self.token = token
        self.codec = codec

    def call(self, rpc: str, body: Mapping[str, Any] | None = None) -> Json:
        """A unary call."""
        method = METHODS[rpc]
        connection = self.connect()
        try:
            response = self.post(connection, method, self.encode(method, body or {}))
            data = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise HandError(response.status, json.loads(data))
        return self.decode(method, data)

    def stream(self, rpc: str, body: Mapping[str, Any]) -> Iterator[Json]:
        """The frames of a stream; an error in the end record is raised, a missing one is an ``EOFError``."""
        method = METHODS[rpc]
        payload = self.encode(method, body)
        connection = self.connect()
        try:
            request = struct.pack(">BI", 0, len(payload)) + payload
            response = self.post(connection, method, request)
        except BaseException:
            connection.close()
            raise
        try:
            for flags, data in envelopes(response):
                if flags & 2:
                    error = json.loads(data).get("error")
                    if error is not None:
                        raise HandError(response.status, error)
                    return
                yield self.decode(method, data)
            raise EOFError("no end record")
        finally:
            response.close()
            connection.close()

    def send(self, agent_id: str, text: str, **more: Any) -> Iterator[Json]:
        """The stream of Send."""
        return self.stream(f"{AGENT}Send", {"agentId": agent_id, "message": {"text": text}, **more})

    def local(self, **options: Any) -> str:
        """A new local agent."""
        made: Json = {"model": {"id": "scripted"}, **options}
        found: str = self.call(f"{AGENT}CreateAgent", {"options": made})["agentId"]
        return found

    def cloud(self, **options: Any) -> str:
        """A new cloud agent."""
        made: Json = {"cloud": {}, "apiKey": "key", **options}
        found: str = self.call(f"{AGENT}CreateAgent", {"options": made})["agentId"]
        return found

    def connect(self) -> HTTPConnection:
        """A connection."""
        return HTTPConnection(self._parts.hostname or "", self._parts.port, timeout=SECONDS)

    def post(self, connection: HTTPConnection, method: Method, body: bytes, **headers: str) -> HTTPResponse:
        """Post a body; gives the response, unread."""
        kind = f"application/{'connect+' if method.streams else ''}{self.codec}"
        named = {"authorization": f"Bearer {self.token}", "content-type": kind}
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", method.path, body, {**named, **more})
        return connection.getresponse()

    def encode(self, method: Method, body: Mapping[str, Any]) -> bytes:
        """A request."""
        if self.codec == "json":
            return json.dumps(body).encode()
        made: bytes = ParseDict(dict(body), google_class(method.request_name)()).SerializeToString()
        return made

    def decode(self, method: Method, data: bytes) -> Json:
        """An answer, in the JSON shape."""
        if self.codec == "json":
            value: Json = json.loads(data)
            return value
        return dict(MessageToDict(google_class(method.answer_name).FromString(data)))


def envelopes(response: HTTPResponse) -> Iterator[tuple[int, bytes]]:
    """The envelopes of a body; one that is cut is an ``EOFError``."""
    while head := response.read(5):
        if len(head) < 5:
            raise EOFError("half a header")
        flags, size = struct.unpack(">BI", head)
        data = response.read(size)
        if len(data) < size:
            raise EOFError("half a frame")
        yield flags, data


def kinds(frames: list[Json]) -> list[str]:
    """Each frame in a word: its type, or its arm; the status messages with their status."""
    found: list[str] = []
    for frame in frames:
        arm = next((name for name in frame if name != "offset"), "")
        kind = frame[arm].get("type", arm) if arm else "{}"
        if kind == "status":
            kind = f"status {frame[arm]['message']['status']}"
        found.append(kind)
    return found


def texts(frames: list[Json]) -> str:
    """The pieces of the answer, together."""
    return "".join(
        frame["sdkMessage"]["message"]["message"]["content"][0]["text"]
        for frame in frames
        if frame.get("sdkMessage", {}).get("type") == "assistant"
    )


def result_of(frames: list[Json]) -> Json:
    """The result within the last frames."""
    found: Json = next(frame["result"] for frame in frames if "result" in frame)["result"]
    return found
