"""The handler of the logger ``cursor_sdk_async``: none by default, stderr when ``CURSOR_SDK_LOG`` says so.

No other logger is touched, the root logger least of all, and what an application has set up stays.
"""

from __future__ import annotations

import logging

from cursor_sdk_async._settings import read_log_level

__all__ = ["LOGGER_NAME", "set_up_logging"]

LOGGER_NAME = "cursor_sdk_async"
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def set_up_logging() -> None:
    """Attach one handler, once; called when the package is first used."""
    logger = logging.getLogger(LOGGER_NAME)
    if logger.handlers:
        return
    level = read_log_level()
    if level is None:
        logger.addHandler(logging.NullHandler())  # without one, Python itself writes warnings to stderr
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(FORMAT))
    handler.setLevel(level.upper())
    logger.addHandler(handler)
    if logger.level == logging.NOTSET:
        logger.setLevel(level.upper())
