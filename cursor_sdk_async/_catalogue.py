"""The catalogue namespaces of a client, ``client.models`` and ``client.repositories``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cursor_sdk_async import _convert
from cursor_sdk_async._core import Core
from cursor_sdk_async.options import ModelSelection
from cursor_sdk_async.results import SDKModel, SDKRepository
from cursor_sdk_async.results._models import ParameterInput, resolve_model

if TYPE_CHECKING:
    from cursor_sdk_async.client import AsyncClient

__all__ = ["ModelsResource", "RepositoriesResource", "Resource"]


class Resource:
    """What the namespaces share."""

    def __init__(self, client: AsyncClient, core: Core) -> None:
        self._client = client
        self._core = core

    async def _key(self, what: str, cloud: bool, *explicit: str | None) -> str | None:
        """The key of a call: a cloud call needs one, a local one takes what there is."""
        self._core.check_open(what)
        if cloud:
            return await self._core.keys.need(what, *explicit)
        return await self._core.keys.find(*explicit)


class ModelsResource(Resource):
    """The model catalogue."""

    async def list(self, *, api_key: str | None = None) -> list[SDKModel]:
        """The models that the key may use.

        Raises:
            ConfigurationError: There is no API key (code ``missing_api_key``).
            AuthenticationError: The service refused the key.
        """
        key = await self._core.keys.need("Listing models", api_key)
        request = _convert.list_models_request(key)
        return await self._core.call("SdkCursorService/ListModels", request, _convert.models_of)

    async def resolve(
        self, name: str, *, api_key: str | None = None, **parameters: ParameterInput | None
    ) -> ModelSelection:
        """Find a model by its name and check its parameters.

        ``model=await client.models.resolve("opus", effort="high")``

        Args:
            name: The id of a model, its display name or that of a variant, in any case and punctuation.
            api_key: As for :meth:`list`.
            parameters: Parameters of the model with their values; ``None`` leaves one out.

        Returns:
            What ``model=`` takes.

        Raises:
            ConfigurationError: There is no such model, parameter or value: the message names what comes
                near; codes ``unknown_model``, ``unknown_model_parameter``, ``ambiguous_model``.
            CursorSDKError: As for :meth:`list`.
        """
        return resolve_model(await self.list(api_key=api_key), name, parameters)


class RepositoriesResource(Resource):
    """The repositories that cloud agents may use."""

    async def list(self, *, api_key: str | None = None) -> list[SDKRepository]:
        """The repositories. The service allows one such call a minute, and it can take tens of seconds.

        Raises:
            ConfigurationError: There is no API key (code ``missing_api_key``).
            RateLimitError: Asked too often.
        """
        key = await self._core.keys.need("Listing repositories", api_key)
        request = _convert.list_repositories_request(key)
        return await self._core.call("SdkCursorService/ListRepositories", request, _convert.repositories_of)
