"""What the first calls need is imported in a worker thread, and not on the event loop.

pydantic, for checking options, google.protobuf and the generated classes, for messages, take as long as all
the rest. A launch imports them while it waits for the bridge; a client that was attached, at its first call.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

import anyio

from cursor_sdk_async import _validate
from cursor_sdk_async._connect import _codec
from cursor_sdk_async._connect._ready import aside
from cursor_sdk_async._lifecycle import Owner

__all__ = ["warm", "warming_up"]

logger = logging.getLogger("cursor_sdk_async")

_is_warm = False


def _import_all() -> None:
    """Idempotent, and harmless in several threads at once: imports have their own locks."""
    global _is_warm
    _codec.warm_up()
    _validate.warm_up()
    _is_warm = True


async def warm() -> None:
    """Wait until everything is imported; a cancelled caller does not wait for the thread."""
    if not _is_warm:
        await aside(_import_all)


async def _try_to_warm() -> None:
    try:
        await warm()
    except Exception as error:  # noqa: BLE001 - the call that needs it raises it again
        logger.debug("importing ahead failed: %r", error)


@contextmanager
def warming_up() -> Generator[Callable[[], Awaitable[object]]]:
    """Import beside the body, which waits for something else.

    Gives what waits for the end of it, if the body wants that: a process that forked while another thread
    imports could never import those modules.
    """
    owner, over = Owner("cursor_sdk_async imports"), anyio.Event()

    async def work() -> None:
        try:
            await _try_to_warm()
        finally:
            over.set()

    owner.start()
    owner.post(work)
    try:
        yield over.wait
    finally:
        owner.request_close()
