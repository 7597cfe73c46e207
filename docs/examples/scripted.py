"""A test of a bot: no key, no network, a real process, and what went over the wire."""

import anyio

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.testing import Script, ScriptedControl, Text, ToolCall, Turn, scripted_bridge_command

SCRIPT = Script([Turn([ToolCall("read", {"path": "README.md"}), Text("It is "), Text("a bot.")])])


async def bot(client: AsyncClient) -> str:
    agent = await client.agents.create(model="scripted", local={})
    async with agent, await agent.send("What is this?") as run:
        return await run.text()


async def test_the_bot_asks_once_and_gives_the_answer() -> None:
    command = scripted_bridge_command(SCRIPT)
    async with AsyncClient.launch_bridge(command, workspace=".", api_key="any key") as client:
        assert await bot(client) == "It is a bot."
        assert client.bridge is not None
        endpoint = client.bridge.endpoint
        sent = ScriptedControl(endpoint.url, endpoint.auth_token).requests("Send")
        assert [request["body"]["message"]["text"] for request in sent] == ["What is this?"]


anyio.run(test_the_bot_asks_once_and_gives_the_answer)
print("passed")
