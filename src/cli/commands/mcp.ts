import { createAgentServer, loadProtocol } from "../../agent/agent-server.ts";
import type { Ask } from "../../agent/tools.ts";
import { commandLine } from "../../platform/command-line.ts";
import { connectionFailure } from "../../platform/network/connection-failure.ts";
import { type Command, CommandFailed, UsageError } from "../command.ts";

const TIMEOUT_MS = 60_000;
const TOKEN = "TRUNKLINE_TOKEN";

export const mcp: Command = {
  name: "mcp",
  summary:
    "Serve chats to an agent over stdio by the Model Context Protocol; the token is in TRUNKLINE_TOKEN",
  args: [],
  options: {
    url: { value: "URL", help: "Address of the service, e.g. https://messages.example", required: true },
    send: { help: "Let the agent send messages" },
  },
  async run({ options, switches }) {
    const ask = askAt(baseOf(options["url"] ?? ""), tokenOf(process.env[TOKEN]));
    // Before the agent waits for it: an agent's host rarely shows why a tool failed.
    await check(ask);
    const [protocol, { serveStdio }] = await Promise.all([
      loadProtocol(),
      import("@modelcontextprotocol/server/stdio"),
    ]);
    serveStdio(() => createAgentServer(protocol, { ask, sends: switches.includes("send") }));
  },
};

function baseOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}" is not an http address`);
  return url.href.replace(/\/$/, "");
}

function tokenOf(text = ""): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new CommandFailed(
      `Set ${TOKEN} to an agent or access token of the account (${commandLine("token create --kind agent")})`,
    );
  return text;
}

function askAt(base: string, token: string): Ask {
  return async ({ method, path, body }) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  };
}

async function check(ask: Ask): Promise<void> {
  const answer = await ask({ method: "GET", path: "/v2/channels" }).catch((error: unknown) => {
    // Of a connection that fails, `fetch` says only that it failed; the cause says why.
    const cause = error instanceof TypeError ? (error.cause ?? error) : error;
    throw new CommandFailed(`The service cannot be reached: ${connectionFailure(cause)}`);
  });
  if (answer.status === 401) throw new CommandFailed(`The service refuses the token in ${TOKEN}`);
}
