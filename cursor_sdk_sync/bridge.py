"""Bridge: one bridge process, for callers who wait."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from typing_extensions import Self

from cursor_sdk_async.bridge import AsyncBridge
from cursor_sdk_sync._portal import Portal, shared_portal
from cursor_sdk_sync._twin import blocking_words, twin_of

if TYPE_CHECKING:
    from cursor_sdk_async import BridgeEndpoint
    from cursor_sdk_async.bridge import BridgeProcess, Command, OnStderr

__all__ = ["Bridge"]


@twin_of(AsyncBridge)
class Bridge:
    def __init__(self, twin: AsyncBridge, portal: Portal) -> None:
        self._twin = twin
        self._portal = portal
        self.endpoint: BridgeEndpoint = twin.endpoint
        self.process: BridgeProcess = twin.process
        portal.keep(twin)

    @classmethod
    def launch(
        cls,
        command: Command | None = None,
        *,
        workspace: str | PathLike[str] | None = None,
        state_root: str | PathLike[str] | None = None,
        host: str | None = None,
        port: int | None = None,
        timeout: float | None = None,
        local: Any = None,
        env: Mapping[str, str | None] | None = None,
        inherit_env: bool | Collection[str] = True,
        on_stderr: OnStderr | None = None,
        verbose: bool = False,
        max_concurrent_agents: int | None = None,
        max_message_bytes: int | None = None,
        portal: Portal | None = None,
    ) -> Self:
        portal = portal or shared_portal()
        twin = portal.obtain(
            AsyncBridge.aclose,
            None,
            AsyncBridge.launch,
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
            max_concurrent_agents=max_concurrent_agents,
            max_message_bytes=max_message_bytes,
        )
        return cls(twin, portal)

    @property
    def pid(self) -> int | None:
        return self._twin.pid

    @property
    def version(self) -> str:
        return self._twin.version

    @property
    def workspace_ref(self) -> str:
        return self._twin.workspace_ref

    @property
    def state_root(self) -> str:
        return self._twin.state_root

    @property
    def stderr_tail(self) -> tuple[str, ...]:
        return self._twin.stderr_tail

    @property
    def exit_code(self) -> int | None:
        return self._twin.exit_code

    @property
    def signal(self) -> int | None:
        return self._twin.signal

    @property
    def tool_callback_enabled(self) -> bool:
        return self._twin.tool_callback_enabled

    def register_custom_tools(self, agent_id: str, tools: Mapping[str, Any]) -> None:
        self._portal.do(self._twin.register_custom_tools, agent_id, tools)

    def unregister_custom_tools(self, agent_id: str) -> None:
        self._portal.do(self._twin.unregister_custom_tools, agent_id)

    def is_alive(self) -> bool:
        return self._twin.is_alive()

    def wait_exited(self) -> None:
        self._portal.call(self._twin.wait_exited)

    def close(self) -> None:
        self._portal.finish(self._twin.aclose)

    def __enter__(self) -> Self:
        self._portal.call(self._twin.__aenter__)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return blocking_words(repr(self._twin))
