"""Waiting for one thing while another goes on beside it, in the task of the caller.

A task group wraps what its tasks raise, and on trio an interrupt is raised in one of them: a program would
end with a group and not with a KeyboardInterrupt. So it is taken out again wherever a caller waits in a
group, of ours or of a library.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

__all__ = ["beside", "interrupt_in"]

T = TypeVar("T")


def interrupt_in(error: BaseException) -> KeyboardInterrupt | None:
    """The interrupt that task groups have wrapped, however deep; ``None`` when there is none."""
    inner: BaseException
    for inner in getattr(error, "exceptions", ()):  # only groups have it; their class is new in Python 3.11
        found = inner if isinstance(inner, KeyboardInterrupt) else interrupt_in(inner)
        if found is not None:
            return found
    return None


async def beside(watch: Callable[[], Awaitable[object]], fn: Callable[..., Awaitable[T]], *args: object) -> T:
    """Wait for ``fn(*args)`` while ``watch()`` runs; the watch is cancelled when the wait is over.

    Raises:
        Exception: Of ``fn``, or of ``watch``, which then ends the wait; as it is, and not in a group.
    """
    values: list[T] = []
    errors: list[Exception] = []

    async def run_watch() -> None:
        try:
            await watch()
        except Exception as error:  # noqa: BLE001 - raised below, outside of the group
            errors.append(error)
            group.cancel_scope.cancel()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(run_watch)
            try:
                values.append(await fn(*args))
            except Exception as error:  # noqa: BLE001 - likewise
                errors.append(error)
            group.cancel_scope.cancel()
    except BaseException as error:
        interrupt = interrupt_in(error)
        if interrupt is None:
            raise
        raise interrupt from None
    if values:
        return values[0]
    raise errors[0]
