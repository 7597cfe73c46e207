import anyio

from cursor_sdk_async import AsyncClient, LocalAgentOptions


async def main() -> None:
    async with AsyncClient.launch_bridge(workspace=".") as client:
        agent = await client.agents.create(model="composer-2.5", local=LocalAgentOptions(cwd="."))
        run = await agent.send("What does this project do?")
        async for piece in run.iter_text():
            print(piece, end="", flush=True)
        result = await run.wait()
        print(f"\n{result.status}, {result.duration_ms} ms, {result.usage}")


anyio.run(main)
