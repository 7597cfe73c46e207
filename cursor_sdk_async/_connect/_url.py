"""Base URLs: which are allowed, and what they say. Pure."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from cursor_sdk_async.errors import ConfigurationError

__all__ = ["Target", "check_url"]

#: Never looked up: a hosts file may send the name elsewhere, and a listener may have only one of the two.
_LOCALHOST = ("127.0.0.1", "::1")


class Target(NamedTuple):
    """Where requests go.

    Attributes:
        scheme: ``http`` or ``https``.
        authority: Host and port as they stand in a ``Host`` header.
        addresses: Literal loopback addresses to connect to, in order; empty for a remote host.
        port: The port.
        path: The path before that of the RPC, without a slash at its end.
    """

    scheme: str
    authority: str
    addresses: tuple[str, ...]
    port: int
    path: str

    @property
    def url(self) -> str:
        """The base URL, without anything secret."""
        return f"{self.scheme}://{self.authority}{self.path}"


def check_url(url: str, *, allow_remote: bool = False) -> Target:
    """Take a base URL apart and refuse what is not allowed.

    Args:
        url: The base URL of a bridge.
        allow_remote: Whether it may lead to another machine.

    Raises:
        ConfigurationError: It is not an HTTP URL, carries credentials, or is not loopback without
            ``allow_remote``.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = urlsplit(""), None, None
    if parts.scheme not in ("http", "https") or not host:
        raise _refused("It is not an http:// or https:// URL with a host.")
    if "@" in parts.netloc:
        raise _refused("It carries credentials; the token is given apart from it.")
    if parts.query or parts.fragment:
        raise _refused("It has a query or a fragment; a base URL has neither.")
    if not url.strip().isascii() or any(c.isspace() or not c.isprintable() for c in url.strip()):
        raise _refused("It contains white space, control characters, or others that must be escaped.")
    addresses = _loopback(host)
    if not addresses and not allow_remote:
        raise _refused(
            f"{host} is not this machine, and the bearer token would leave it. "
            "Use a loopback address, or allow_remote=True if that is meant."
        )
    if port is None:
        port = 443 if parts.scheme == "https" else 80
    name = f"[{host}]" if ":" in host else host
    return Target(parts.scheme, f"{name}:{port}", addresses, port, parts.path.rstrip("/"))


def _loopback(host: str) -> tuple[str, ...]:
    if host == "localhost":
        return _LOCALHOST
    try:
        return (host,) if ip_address(host).is_loopback else ()
    except ValueError:
        return ()


def _refused(reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"The URL of the bridge cannot be used. {reason}", code="bad_bridge_url", is_safe_to_retry=True
    )
