"""What is read from the environment, and only here.

Every function reads when it is called, and takes a mapping in place of the environment for tests. Nothing is
kept.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from cursor_sdk_async.errors import ConfigurationError

__all__ = [
    "STARTUP_TIMEOUT_VARIABLE",
    "EndpointSettings",
    "environment",
    "find_on_path",
    "read_api_key",
    "read_bridge_bin",
    "read_cache_dir",
    "read_endpoint",
    "read_log_level",
    "read_startup_timeout",
    "read_use_remote_bridge",
]

STARTUP_TIMEOUT_VARIABLE = "CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT"
_TRUE = frozenset({"1", "true", "yes", "on"})


@dataclass(frozen=True)
class EndpointSettings:
    """A bridge that somebody else runs.

    Attributes:
        url: Its address.
        token: Its bearer token.
    """

    url: str
    token: str = field(repr=False)


def environment() -> dict[str, str]:
    """A copy of the environment of this process."""
    return dict(os.environ)


def _read(name: str, env: Mapping[str, str] | None) -> str | None:
    """A variable without white space around it; ``None`` when it is unset or blank."""
    source: Mapping[str, str] = os.environ if env is None else env
    value = source.get(name)
    return (value.strip() or None) if value is not None else None


def read_api_key(env: Mapping[str, str] | None = None) -> str | None:
    """``CURSOR_API_KEY``."""
    return _read("CURSOR_API_KEY", env)


def read_endpoint(env: Mapping[str, str] | None = None) -> EndpointSettings | None:
    """``CURSOR_SDK_BRIDGE_URL`` with ``CURSOR_SDK_BRIDGE_TOKEN``, by its older name ``…_AUTH_TOKEN``.

    Raises:
        ConfigurationError: One of the two is set without the other.
    """
    url = _read("CURSOR_SDK_BRIDGE_URL", env)
    token = _read("CURSOR_SDK_BRIDGE_TOKEN", env) or _read("CURSOR_SDK_BRIDGE_AUTH_TOKEN", env)
    if url is None and token is None:
        return None
    if url is None or token is None:
        have, lack = "CURSOR_SDK_BRIDGE_TOKEN", "CURSOR_SDK_BRIDGE_URL"
        if token is None:
            have, lack = lack, have
        raise ConfigurationError(
            f"{have} is set, but {lack} is not. Attaching to a running bridge needs both; "
            f"unset {have} to launch one.",
            code="missing_bridge_endpoint",
        )
    return EndpointSettings(url, token)


def read_bridge_bin(env: Mapping[str, str] | None = None) -> str | None:
    """``CURSOR_SDK_BRIDGE_BIN``: the launcher to use."""
    return _read("CURSOR_SDK_BRIDGE_BIN", env)


def read_use_remote_bridge(env: Mapping[str, str] | None = None) -> bool:
    """``CURSOR_SDK_USE_REMOTE_BRIDGE``: whether to pass over the copy inside the ``cursor-sdk`` wheel."""
    return (_read("CURSOR_SDK_USE_REMOTE_BRIDGE", env) or "").lower() in _TRUE


def read_log_level(env: Mapping[str, str] | None = None) -> str | None:
    """``CURSOR_SDK_LOG``: ``"debug"``, ``"info"``, or ``None`` for anything else."""
    level = (_read("CURSOR_SDK_LOG", env) or "").lower()
    return level if level in ("debug", "info") else None


def read_startup_timeout(env: Mapping[str, str] | None = None) -> float | None:
    """``CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT`` in seconds.

    Raises:
        ConfigurationError: It is not a positive number.
    """
    text = _read(STARTUP_TIMEOUT_VARIABLE, env)
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or seconds <= 0:
        raise ConfigurationError(
            f"{STARTUP_TIMEOUT_VARIABLE} is not a positive number of seconds. Correct or unset it."
        )
    return seconds


def find_on_path(name: str, env: Mapping[str, str] | None = None) -> list[Path]:
    """Every file of that name on ``PATH``, in order, executable or not."""
    source: Mapping[str, str] = os.environ if env is None else env
    folders = (folder for folder in source.get("PATH", "").split(os.pathsep) if folder)
    return [path for path in (Path(folder) / name for folder in folders) if path.is_file()]


def read_cache_dir(env: Mapping[str, str] | None = None) -> Path | None:
    """Where a bridge of our own is unpacked: ``XDG_CACHE_HOME``, else ``~/.cache``.

    ``None`` without a home.
    """
    base = _read("XDG_CACHE_HOME", env)
    if base is not None and Path(base).is_absolute():
        return Path(base) / "cursor-sdk-async"
    home = _read("HOME", env) or _read("USERPROFILE", env)
    return Path(home) / ".cache" / "cursor-sdk-async" if home is not None else None
