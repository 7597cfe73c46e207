"""A bot: many agents on one bridge, at most four runs at a time; one that is too slow is cancelled."""

import anyio

from cursor_sdk_async import AsyncClient, CursorAgentError, LocalAgentOptions

PROMPTS = [f"Summarise file number {number}" for number in range(8)]


async def answer(client: AsyncClient, limit: anyio.CapacityLimiter, prompt: str) -> None:
    async with limit:
        try:
            agent = await client.agents.create(model="composer-2.5", local=LocalAgentOptions(cwd="."))
            async with agent, await agent.send(prompt) as run:
                with anyio.move_on_after(60):
                    print(f"{prompt}: {await run.text()}")
                # Leaving `async with run` before its end cancels it.
        except CursorAgentError as error:
            print(f"{prompt}: failed, {type(error).__name__}: {error}")


async def main() -> None:
    limit = anyio.CapacityLimiter(4)
    async with AsyncClient.launch_bridge(workspace=".") as client, anyio.create_task_group() as tasks:
        for prompt in PROMPTS:
            tasks.start_soon(answer, client, limit, prompt)


anyio.run(main)
