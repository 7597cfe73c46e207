"""Tools that wait, tools that block, and how a run calls them; the scripted bridge plays the model."""

import time
from typing import Any

import anyio

from cursor_sdk_async import AsyncClient, CustomTool, CustomToolContext, SDKToolUseMessage, ToolError
from cursor_sdk_async.testing import CallTool, Script, Turn, scripted_bridge_command

STOCK = {"apple": 3}


async def stock(args: Any, context: CustomToolContext) -> dict[str, Any]:
    """Runs in the event loop."""
    if args["item"] not in STOCK:
        raise ToolError(f"There is no {args['item']!r}. There are: {', '.join(STOCK)}.")
    return {"item": args["item"], "count": STOCK[args["item"]]}


def report(args: Any, context: CustomToolContext) -> str:
    """Runs in a worker thread; looks now and then whether anybody still waits."""
    for page in range(3):
        context.check_cancelled()
        context.progress(page, 3, "writing")
        time.sleep(0.01)
    return "Three pages."


TOOLS = {
    "stock": CustomTool(stock, "How many there are", {"type": "object", "required": ["item"]}),
    "report": CustomTool(report, "Write a report", timeout=30, max_concurrency=2),
}
MODEL = Script(
    [Turn([CallTool("stock", {"item": "apple"}), CallTool("stock", {"item": "pear"}), CallTool("report")])]
)


async def main() -> None:
    async with AsyncClient.launch_bridge(scripted_bridge_command(MODEL), api_key="any key") as client:
        agent = await client.agents.create(model="scripted", local={"custom_tools": TOOLS})
        async with agent, await agent.send("What is in stock?") as run:
            async for message in run.messages():
                if isinstance(message, SDKToolUseMessage) and message.status != "running":
                    print(message.name, message.status, message.result)


anyio.run(main)
