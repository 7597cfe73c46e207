"""AsyncClient: one bridge, launched or attached to, and everything that can be asked of it.

Nothing leaks: a launched bridge ends with its client, by closing, by leaving ``async with``, by being
forgotten, and by the end of the process. Nothing hangs: closing is bounded (``docs/bridge.md``), and the
death of the bridge ends every pending call and stream at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any

from typing_extensions import Self

from cursor_sdk_async._connect._channel import UNSET, Unset
from cursor_sdk_async._connect._retry import RetryPolicy, repeat
from cursor_sdk_async._control import ControlMethods
from cursor_sdk_async._core import Core
from cursor_sdk_async._flat import FlatMethods
from cursor_sdk_async._front import FrontMethods
from cursor_sdk_async._keys import ApiKey, KeyRing
from cursor_sdk_async._lifecycle import LoopOwner, Opening
from cursor_sdk_async._open import (
    ChannelOptions,
    Codec,
    open_channel,
    retry_policy,
    seconds,
    transport_channel,
)
from cursor_sdk_async._settings import read_endpoint
from cursor_sdk_async._tool_methods import ToolMethods
from cursor_sdk_async._warm import warming_up
from cursor_sdk_async.bridge import AsyncBridge, BridgeEndpoint
from cursor_sdk_async.errors import ClosedError, ConfigurationError, CursorSDKError
from cursor_sdk_async.resources import AgentsResource, ModelsResource, RepositoriesResource

if TYPE_CHECKING:
    import httpx

    from cursor_sdk_async.transport import Transport

__all__ = ["UNSET", "ApiKey", "AsyncClient", "Codec", "Unset"]

Path = str | PathLike[str]


class AsyncClient(ControlMethods, FlatMethods, FrontMethods, ToolMethods):
    """A client of one bridge.

    Use :meth:`launch_bridge` to start a bridge that lives as long as the client, or :meth:`connect` to attach
    to one that somebody else runs. One client serves any number of concurrent agents and runs of its event
    loop.
    """

    def __init__(
        self,
        endpoint: BridgeEndpoint | None = None,
        *,
        base_url: str | None = None,
        auth_token: str | None = None,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | httpx.Client | None = None,
        transport: Transport | None = None,
        api_key: ApiKey | None = None,
        allow_api_key_env_fallback: bool | None = None,
        allow_remote: bool = False,
        codec: Codec | None = None,
    ) -> None:
        """Attach to a running bridge; nothing is sent before the first call.

        Args:
            endpoint: Where the bridge is; overrides ``base_url`` and ``auth_token``.
            base_url: Its URL.
            auth_token: Its bearer token.
            timeout: Sets both of the following, in seconds; ``None`` for no limit.
            unary_timeout: For single answers; 60 s by default. Calls that wait for a run have none.
            stream_timeout: How long a stream may be silent; no limit by default.
            max_retries: How often a call that only reads is repeated when it fails for a passing reason;
                ``None`` for what ``retry`` says, 0 for never.
            retry: How such calls are repeated; by default twice, see :class:`RetryPolicy`.
            http_client: Sends everything through this client, which is never closed by us. By default a lane
                of our own is used, which ignores environment proxies.
            transport: Carries every call in place of all that is given above, except the time limits, which
                hold around it; see :class:`AsyncConnectTransport`. It is closed with the client.
            api_key: The key of calls that name none themselves, or a function that is asked for it.
            allow_api_key_env_fallback: Whether ``CURSOR_API_KEY`` may be used; not by default for an attached
                bridge.
            allow_remote: Allow a bridge that is not on this machine.
            codec: ``"proto"`` or ``"json"`` for every call; by default the faster one for each kind of call.

        Raises:
            ConfigurationError: No endpoint (code ``missing_bridge_endpoint``), a blank key, or a URL that is
                not loopback without ``allow_remote``.
        """
        if endpoint is not None:
            base_url, auth_token = endpoint.url, endpoint.auth_token
        if transport is None and (not base_url or not auth_token):
            raise ConfigurationError(
                "A client needs a bridge: give base_url= and auth_token=, or an endpoint; or start a bridge "
                "with AsyncClient.launch_bridge().",
                code="missing_bridge_endpoint",
                is_safe_to_retry=True,
            )
        options = ChannelOptions(
            seconds(timeout),
            seconds(unary_timeout),
            seconds(stream_timeout),
            codec,
            http_client,
            allow_remote,
            RetryPolicy.never() if transport is not None else retry_policy(retry, max_retries),
        )
        owner = LoopOwner("cursor_sdk_async client")
        if transport is not None:
            channel = transport_channel(transport, options)
        else:
            channel = open_channel(base_url or "", auth_token or "", owner, options)
        keys = KeyRing(api_key, bool(allow_api_key_env_fallback))
        url = base_url if transport is None and base_url else ""
        self._set_up(Core(channel, keys, owner, own=owner, url=url), None, None)

    def _set_up(self, core: Core, bridge: AsyncBridge | None, parent: AsyncClient | None) -> None:
        self._core = core
        self._bridge = bridge
        self._parent = parent
        self.agents: AgentsResource = AgentsResource(self, core)
        self.models: ModelsResource = ModelsResource(self, core)
        self.repositories: RepositoriesResource = RepositoriesResource(self, core)

    @classmethod
    def connect(
        cls,
        base_url: str,
        auth_token: str,
        *,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | httpx.Client | None = None,
        api_key: ApiKey | None = None,
        allow_api_key_env_fallback: bool | None = None,
        allow_remote: bool = False,
        codec: Codec | None = None,
    ) -> Self:
        """Attach to a running bridge, which is left running when the client closes.

        All arguments are those of the constructor.
        """
        return cls(
            base_url=base_url,
            auth_token=auth_token,
            timeout=timeout,
            unary_timeout=unary_timeout,
            stream_timeout=stream_timeout,
            max_retries=max_retries,
            retry=retry,
            http_client=http_client,
            api_key=api_key,
            allow_api_key_env_fallback=allow_api_key_env_fallback,
            allow_remote=allow_remote,
            codec=codec,
        )

    @classmethod
    def launch_bridge(
        cls,
        command: Path | Sequence[str] | None = None,
        *,
        workspace: Path | None = None,
        state_root: Path | None = None,
        host: str | None = None,
        port: int | None = None,
        timeout: float | None = None,
        local: Any = None,
        env: Mapping[str, str | None] | None = None,
        inherit_env: bool | Collection[str] = True,
        on_stderr: Callable[[str], Any] | None = None,
        verbose: bool = False,
        client_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | httpx.Client | None = None,
        api_key: ApiKey | None = None,
        allow_api_key_env_fallback: bool | None = None,
        codec: Codec | None = None,
    ) -> Opening[Self]:
        """Start a bridge of our own; it ends with the client.

        ``async with AsyncClient.launch_bridge(...) as client``, ``client = await
        AsyncClient.launch_bridge(...)`` and handing it to a task all work; nothing starts before that.

        Args:
            command: The launcher, as a path or an argument list; ``docs/bridge.md`` says where it is sought.
            workspace: Where the bridge works, and the default directory of local agents; by default the
                current one.
            state_root: Where it keeps its state.
            host: The loopback address to listen on.
            port: The port to listen on; a free one by default.
            timeout: How long it may take to become ready, in seconds; 30 by default.
            local: ``LocalAgentOptions`` whose ``store`` is the default store of local agents.
            env: Variables added to its environment; ``None`` as a value takes one away.
            inherit_env: Whether it inherits ours; or the names that it inherits.
            on_stderr: Called with each line that it writes to stderr.
            verbose: Have it log each call to stderr.
            client_timeout: Limit for single answers and for silent streams, in seconds.
            max_retries: As for the constructor.
            retry: As for the constructor; a bridge that ends before it is ready is started again likewise.
            http_client: As for the constructor.
            api_key: As for the constructor.
            allow_api_key_env_fallback: Whether ``CURSOR_API_KEY`` may be used; it may by default.
            codec: As for the constructor.

        Returns:
            An opening: await it or enter it, once.

        Raises:
            BridgeNotFoundError: When opened: there is no bridge, or the chosen file cannot be one.
            BridgeStartError: When opened: it did not become ready.
            ConfigurationError: A blank key.
        """
        keys = KeyRing(api_key, True if allow_api_key_env_fallback is None else allow_api_key_env_fallback)
        options = ChannelOptions(
            seconds(client_timeout),
            codec=codec,
            http_client=http_client,
            retry=retry_policy(retry, max_retries),
        )

        async def launch_once() -> Self:
            with warming_up() as warmed:
                bridge = await AsyncBridge.launch(
                    command,
                    workspace=workspace,
                    state_root=state_root,
                    host=host,
                    port=port,
                    timeout=timeout,
                    local=local,
                    env=env,
                    inherit_env=inherit_env,
                    on_stderr=on_stderr,
                    verbose=verbose,
                )
                # No await between: the bridge is always owned, by itself or by the client.
                client = cls._of_bridge(bridge, keys, options)
                try:
                    await warmed()
                except BaseException:
                    bridge.owner.request_close()
                    raise
            return client

        async def launch() -> Self:
            return await repeat(options.retry.for_launches(), "launching the bridge", launch_once)

        return Opening(launch, cls.aclose)

    @classmethod
    def from_environment(cls) -> Opening[Self]:
        """The client that the environment asks for.

        With ``CURSOR_SDK_BRIDGE_URL`` and ``CURSOR_SDK_BRIDGE_TOKEN`` set it is attached to that bridge, and
        reads no ``CURSOR_API_KEY``; otherwise it launches a bridge in the current directory.

        Returns:
            An opening: await it or enter it, once.

        Raises:
            ConfigurationError: When opened: one of the two variables is set without the other.
            BridgeNotFoundError: As for :meth:`launch_bridge`.
            BridgeStartError: As for :meth:`launch_bridge`.
        """

        async def start() -> Self:
            endpoint = read_endpoint()
            if endpoint is not None:
                return cls.connect(endpoint.url, endpoint.token)
            return await cls.launch_bridge()

        return Opening(start, cls.aclose)

    @classmethod
    def _of_bridge(cls, bridge: AsyncBridge, keys: KeyRing, options: ChannelOptions) -> Self:
        """The client of a bridge that was just launched."""
        endpoint, owner = bridge.endpoint, bridge.owner

        async def explain_loss() -> CursorSDKError | None:
            return await core.explain_loss()

        channel = open_channel(endpoint.url, endpoint.auth_token, lambda: owner, options, explain_loss)
        core = Core(channel, keys, lambda: owner, url=endpoint.url)
        core.watch_bridge(bridge.watch)  # not the bridge itself: one that is forgotten must be collected
        bridge.set_farewell(core.farewell)
        bridge.set_tools(core.tools)
        client = cls.__new__(cls)
        client._set_up(core, bridge, None)
        return client

    @property
    def bridge(self) -> AsyncBridge | None:
        """The launched bridge; ``None`` for an attached one."""
        return self._bridge

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._core.closed

    def with_options(
        self,
        *,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
    ) -> Self:
        """A copy with other time limits or another retry policy, over the same connections and bridge.

        Closing it closes neither. ``client.with_options(max_retries=5).me()`` sets them for one call.

        Args:
            timeout: Sets both of the following, in seconds; ``None`` for no limit.
            unary_timeout: For single answers.
            stream_timeout: How long a stream may be silent.
            max_retries: As for the constructor; ``None`` keeps what the client has.
            retry: As for the constructor; ``None`` keeps what the client has.
        """
        both = seconds(timeout)
        unary, stream = seconds(unary_timeout), seconds(stream_timeout)
        channel = self._core.channel.with_options(
            unary_timeout=both if isinstance(unary, Unset) else unary,
            stream_timeout=both if isinstance(stream, Unset) else stream,
            retry=retry_policy(retry, max_retries, self._core.channel.retry),
        )
        twin = type(self).__new__(type(self))
        twin._set_up(self._core.with_channel(channel), self._bridge, self)
        return twin

    async def aclose(self) -> None:
        """Close the client and, if it launched one, its bridge; bounded, see ``docs/bridge.md``.

        Closing twice, from two tasks, or in a cancelled scope is harmless: the work is done by a task of the
        client. A copy made by :meth:`with_options` closes nothing.
        """
        if self._parent is not None:
            return
        self._core.refuse_new_calls()
        if self._bridge is not None:
            await self._bridge.aclose()
            await self._core.channel.aclose()  # again: a bridge that had died got no farewell
            await self._core.tools.aclose()  # last: it may call back while it stops
        else:
            await self._core.aclose()

    async def close(self) -> None:
        """The same as :meth:`aclose`."""
        await self.aclose()

    async def __aenter__(self) -> Self:
        if self.closed:
            raise ClosedError("The client is closed. Make a new one.", code="closed", is_safe_to_retry=True)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        what = "attached" if self._bridge is None else f"bridge pid {self._bridge.pid}"
        return f"AsyncClient({what}{', closed' if self.closed else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("A client is a live handle and cannot be pickled; make one in each process.")
