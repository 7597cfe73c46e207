"""Who owns what lives long: owner tasks, the loops they run on, and openings."""

from cursor_sdk_async._lifecycle._beside import beside, interrupt_in
from cursor_sdk_async._lifecycle._loops import in_loop
from cursor_sdk_async._lifecycle._opening import Opening
from cursor_sdk_async._lifecycle._owner import LoopOwner, Owner, OwnerSource

__all__ = ["LoopOwner", "Opening", "Owner", "OwnerSource", "beside", "in_loop", "interrupt_in"]
