"""Every kind of message, told apart with ``match``; runs on trio as well."""

import anyio

from cursor_sdk_async import (
    AsyncClient,
    LocalAgentOptions,
    SDKAssistantMessage,
    SDKStatusMessage,
    SDKThinkingMessage,
    SDKToolUseMessage,
    SDKUsageMessage,
    TextBlock,
)


async def main() -> None:
    async with AsyncClient.launch_bridge(workspace=".") as client:
        agent = await client.agents.create(model="composer-2.5", local=LocalAgentOptions(cwd="."))
        run = await agent.send("Find the entry point")
        async for message in run.messages():
            match message:
                case SDKAssistantMessage():
                    for block in message.message.content:
                        if isinstance(block, TextBlock):
                            print(block.text, end="")
                case SDKThinkingMessage(text=text):
                    print(f"[thinking] {text}")
                case SDKToolUseMessage(name=name, status=status):
                    print(f"[{name}: {status}]")
                case SDKUsageMessage(usage=usage):
                    print(f"\n[{usage.total_tokens} tokens]")
                case SDKStatusMessage(status=status):
                    print(f"[{status}]")
                case other:  # kinds that a newer bridge may send
                    print(f"[{other}]")


anyio.run(main, backend="trio")
