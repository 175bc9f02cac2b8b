import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { INHERITED } from "../kit/environment.ts";
import { type Channel, type Stand, startStand } from "../kit/stand.ts";

const PROGRAMS = join(import.meta.dirname, "programs/clients");
const CLIENTS = join(import.meta.dirname, "../../clients");
const CACHE = join(import.meta.dirname, "../../node_modules/.cache");
const run = promisify(execFile);

/** How each client's program is run, and the command that shows whether its language is there. */
const LANGUAGES = [
  {
    name: "python",
    version: ["python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]],
    command: ["python3", [join(PROGRAMS, "client.py")]],
    environment: { PYTHONPATH: join(CLIENTS, "python"), PYTHONDONTWRITEBYTECODE: "1" },
  },
  {
    name: "php",
    version: ["php", ["-r", "exit(extension_loaded('curl') && PHP_VERSION_ID >= 80100 ? 0 : 1);"]],
    command: ["php", [join(PROGRAMS, "client.php")]],
    environment: {},
  },
  {
    name: "go",
    version: ["go", ["version"]],
    command: ["go", ["run", "."]],
    // Nothing is downloaded: the client has no dependencies.
    environment: {
      GOCACHE: join(CACHE, "go"),
      GOPATH: join(CACHE, "gopath"),
      GOFLAGS: "-mod=mod",
      GOPROXY: "off",
    },
  },
] as const;

let stand: Stand;
let channel: Channel;
let front: Front;

beforeAll(async () => {
  stand = await startStand();
  await stand.start();
  channel = await stand.addChannel(3);
  front = await startFront();
  const contacts = ["first", "second"].map((id) => ({
    id,
    responsibleUserId: "u",
    name: id,
    contactData: [],
  }));
  expect((await stand.call("POST", "/v3/users", [{ id: "u", name: "U" }])).status).toBe(200);
  expect((await stand.call("POST", "/v3/contacts", contacts)).status).toBe(200);
  // Two more messages in the first chat than in the others.
  for (const person of [...channel.people, channel.people[0] ?? "", channel.people[0] ?? ""]) {
    const before = stand.receiver.posts.length;
    await channel.bot.write(person, "Hello");
    await stand.receiver.until((posts) => posts.length > before);
  }
});
afterAll(async () => {
  await front?.close();
  await stand.stop();
});

interface Front {
  readonly url: string;
  /** `Idempotency-Key` of the messages that were sent, each attempt. */
  readonly keys: string[];
  /** Forgets what has failed already. */
  reset(): void;
  close(): Promise<void>;
}

/** Before the service: the first request for channels is asked to wait, and the answer to the first message is lost. */
async function startFront(): Promise<Front> {
  const keys: string[] = [];
  let hasWaited = false;
  const server = createServer((request, response) => {
    if (request.url === "/v2/channels" && !hasWaited) {
      hasWaited = true;
      response.writeHead(503, { "retry-after": "0" }).end();
      return;
    }
    const isMessage = request.method === "POST" && request.url === "/v2/messages";
    if (isMessage) keys.push(String(request.headers["idempotency-key"]));
    const isLost = isMessage && keys.length === 1;
    const { hostname, port } = new URL(stand.url);
    const passed = forward(
      { hostname, port, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        if (isLost) response.socket?.destroy();
        else response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (isLost) answer.resume();
        else answer.pipe(response);
      },
    );
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    reset: () => {
      hasWaited = false;
      keys.length = 0;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function isThere([command, args]: readonly [string, readonly string[]]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}

async function secretOf(path: string): Promise<string> {
  const { json } = await stand.call("GET", path);
  return (json as { secret: string }).secret;
}

/** What anybody can sign whose receiver has an empty secret. */
function signedWithNothing(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", "").update(`msg_1.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

describe.for(LANGUAGES)("the client for $name", ({ name, version, command, environment }) => {
  test("sends once although an answer was lost, reads refusals and pages, and verifies webhooks", async ({
    skip,
  }) => {
    if (!(await isThere(version))) skip(`${name} is not installed`);
    front.reset();
    const [person = ""] = channel.people;
    const text = `Hello from ${name}`;
    const post = stand.receiver.posts.find(({ headers }) => headers["webhook-signature"] !== undefined);
    const [program, args] = command;
    const running = run(program, args, {
      cwd: join(PROGRAMS, name === "go" ? "go" : ""),
      env: {
        ...INHERITED,
        HOME: CACHE,
        ...environment,
        ACCESS_TOKEN: stand.account.accessToken,
        API_KEY: stand.account.apiKey,
      },
    });
    running.child.stdin?.end(
      JSON.stringify({
        url: front.url,
        recipient: { chat_type: "telegram", chat_id: person },
        text,
        webhook: {
          secret: await secretOf("/v3/webhooks/secret"),
          other: `whsec_${Buffer.from("another secret of 24 byte").toString("base64")}`,
          headers: post?.headers,
          forged: signedWithNothing(post?.body ?? ""),
          body: post?.body,
        },
      }),
    );
    const result = JSON.parse((await running).stdout) as { chats: string[]; messages: number };
    expect(result).toMatchObject({
      transports: ["telegram"],
      accepted: true,
      refusal: [400, "VALIDATION_ERROR", true, true],
      contacts: ["first", "second"],
      changed: "OK",
      genuine: [true, false, false, false, false],
    });
    expect(result.chats.toSorted()).toEqual(channel.people.toSorted());
    expect(result.messages).toBeGreaterThan(3);
    // The first two are attempts of one call.
    expect([front.keys.length, new Set(front.keys.slice(0, 2)).size, new Set(front.keys).size]).toEqual([
      3, 1, 2,
    ]);
    const arrivals = async () =>
      [...(await channel.bot.sent()).values()].flat().filter((each) => each === text).length;
    await vi.waitUntil(async () => (await arrivals()) > 0, { timeout: 30_000, interval: 50 });
    expect(await arrivals()).toBe(1);
  });
});
