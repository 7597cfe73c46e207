"""A request that is not a message yet: pure.

Importing the generated classes takes as long as importing everything else. So a request is written down as
what its message will hold, and becomes one when the channel sends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cursor_sdk_async._gen.methods import message_type
from cursor_sdk_async.errors import ConfigurationError

if TYPE_CHECKING:
    from cursor_sdk_async._gen.methods import Message

__all__ = ["Draft"]


class Draft:
    """A request to be.

    Args:
        name: Of the message, such as ``GetRunRequest``.
        json: Its JSON form; it may hold a key, and shows nowhere.
    """

    __slots__ = ("_json", "name")

    def __init__(self, name: str, json: Mapping[str, Any]) -> None:
        self.name: str = name
        self._json: Mapping[str, Any] = json

    def message(self) -> Message:
        """The message.

        Raises:
            ConfigurationError: It has a field or a word that the contract lacks.
        """
        try:
            return message_type(self.name).from_dict(self._json)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = type(error).__name__  # the text may quote a value, and a value may be secret
        raise ConfigurationError(
            f"{self.name} would hold something that cannot be sent ({problem}), so nothing was sent. "
            "Look for values that are not plain data, such as objects in a JSON schema.",
            code="bad_request_value",
            is_safe_to_retry=True,
        )

    def __repr__(self) -> str:
        return f"Draft({self.name!r})"
