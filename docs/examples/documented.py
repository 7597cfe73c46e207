"""A program as the documentation of ``cursor-sdk`` writes it; only the import line is another."""

import anyio

from cursor_sdk_async import (
    AgentOptions,
    AsyncAgent,
    AsyncClient,
    AsyncCursor,
    CursorAgentError,
    LocalAgentOptions,
    ModelSelection,
    SendOptions,
)
from cursor_sdk_async.events import InteractionUpdate, TextDeltaUpdate


def on_delta(update: InteractionUpdate) -> None:
    if isinstance(update, TextDeltaUpdate):
        print(update.text, end="", flush=True)


async def main() -> None:
    async with await AsyncClient.launch_bridge(workspace=".") as client:
        user = await AsyncCursor.me(client=client)
        models = await AsyncCursor.models.list(client=client)
        print(f"{user.api_key_name}: {', '.join(model.id for model in models)}")

        options = AgentOptions(model=ModelSelection("composer-2.5"), local=LocalAgentOptions(cwd="."))
        try:
            async with await AsyncAgent.create(options, client=client, name="demo") as agent:
                run = await agent.send("What is this project?", SendOptions(on_delta=on_delta))
                result = await run.wait()
                print(f"\n{result.status}, {len(await run.conversation())} turns")
                print((await agent.prompt("And in one word?")).result)
        except CursorAgentError as error:
            print(f"{error.code}: {error.message} (retry: {error.is_retryable})")
            return

        page = await AsyncAgent.list({"runtime": "local", "cwd": "."}, client=client)
        print([info.name async for info in page.auto_paging_iter()])
        runs = await client.list_runs(agent.agent_id, limit=10)
        print([run.status for run in runs.items])
        await AsyncAgent.delete(agent.agent_id, client=client)


anyio.run(main)
