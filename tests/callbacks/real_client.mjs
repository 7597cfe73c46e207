// Calls tools through the callback client of the real bridge. The task comes as JSON on stdin, the outcomes
// go as JSON to stdout, in the order of the calls.
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const task = JSON.parse(Buffer.concat(chunks).toString());
const load = (name) => import(pathToFileURL(join(task.root, "dist", name)).href);
const { setBridgeToolCallbackConfig } = await load("tool-callback-config.js");
const { buildHostBackedCustomTools } = await load("bridge-custom-tools.js");

setBridgeToolCallbackConfig({ url: task.url, authToken: task.token });
const names = Object.fromEntries(task.calls.map((call) => [call.tool, {}]));
const tools = {};
const outcomes = [];
let next = 0;

async function lane() {
  while (next < task.calls.length) {
    const index = next++;
    const { agent, tool, args, id } = task.calls[index];
    tools[agent] ??= buildHostBackedCustomTools(agent, names);
    try {
      outcomes[index] = { result: await tools[agent][tool].execute(args, { toolCallId: id }) };
    } catch (error) {
      outcomes[index] = { code: error.code, message: String(error.message) };
    }
  }
}

await Promise.all(Array.from({ length: task.parallel }, lane));
process.stdout.write(JSON.stringify(outcomes));
