import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BlockedAddress } from "../network/guarded-lookup.ts";
import { createGuardedDispatcher } from "../network/safe-fetch.ts";
import { resolveForeignName } from "./foreign-names.ts";

/**
 * Resolves `good.test` (127.0.0.1) and `inside.test` (10.0.0.1 and a public address); never responds for
 * `*.silent.test`.
 */
const names: Socket = createSocket("udp4");
const web = createServer((_request, response) => response.end("reached"));
let nameServer = "";
let port = 0;
let unanswered = 0;

beforeAll(async () => {
  names.on("message", (query, from) => {
    const answer = answerTo(query);
    if (answer === null) unanswered++;
    else names.send(answer, from.port, from.address);
  });
  names.bind(0, "127.0.0.1");
  web.listen(0, "127.0.0.1");
  await Promise.all([once(names, "listening"), once(web, "listening")]);
  nameServer = `127.0.0.1:${names.address().port}`;
  port = (web.address() as AddressInfo).port;
});
afterAll(() => {
  names.close();
  web.close();
});

const ADDRESSES: Readonly<Record<string, readonly (readonly number[])[]>> = {
  "good.test": [[127, 0, 0, 1]],
  "inside.test": [
    [8, 8, 8, 8],
    [10, 0, 0, 1],
  ],
};

/** Error responses: SERVFAIL and REFUSED. */
const CODES: Readonly<Record<string, number>> = { "failing.test": 2, "refused.test": 5 };

/** Answers one DNS question (RFC 1035, 4.1), for IPv4 only. */
function answerTo(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join(".").toLowerCase();
  if (name.endsWith("silent.test")) return null;
  const isV4 = query.readUInt16BE(at + 1) === 1;
  const found = isV4 ? (ADDRESSES[name] ?? []) : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 + (CODES[name] ?? (name in ADDRESSES ? 0 : 3)), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  const records = found.map((address) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address]));
  return Buffer.concat([header, query.subarray(12, at + 5), ...records]);
}

test("names without a response do not block others", async () => {
  const dispatcher = createGuardedDispatcher({
    allowNetworks: ["127.0.0.0/8"],
    nameServers: [nameServer],
  });
  const get = (host: string) =>
    dispatcher.request({ origin: `http://${host}:${port}`, path: "/", method: "GET" });
  let silent = 0;
  const hanging = Array.from({ length: 40 }, (_, index) =>
    get(`n${index}.silent.test`).finally(() => silent++),
  );
  const ended = Promise.allSettled(hanging);
  await expect.poll(() => unanswered).toBeGreaterThanOrEqual(80);
  const { body } = await get("good.test");
  expect(await body.text()).toBe("reached");
  expect(silent).toBe(0);
  await dispatcher.destroy();
  await ended;
});

test("a name with a private address among others is not reached", async () => {
  const dispatcher = createGuardedDispatcher({ allowNetworks: [], nameServers: [nameServer] });
  const request = dispatcher.request({ origin: `http://inside.test:${port}`, path: "/", method: "GET" });
  await expect(request).rejects.toThrow(BlockedAddress);
  await expect(request).rejects.not.toThrow(/10\.0\.0\.1|8\.8\.8\.8/);
  await dispatcher.close();
});

test("an internal name is rejected like a missing one", async ({ skip }) => {
  const refusalOf = async (host: string): Promise<unknown> => {
    const dispatcher = createGuardedDispatcher({ allowNetworks: [], nameServers: [nameServer] });
    const request = dispatcher.request({ origin: `http://${host}:${port}`, path: "/", method: "GET" });
    return request
      .then(
        () => null,
        (error: Error) => `${error.name} ${error.message.replace(host, "NAME")}`,
      )
      .finally(() => dispatcher.close());
  };
  const unknown = await refusalOf("nobody.test");
  skip(String(unknown).includes("EAI_AGAIN"), "this machine has no name server");
  expect(await refusalOf("inside.test")).toBe(unknown);
});

test.each(["nobody.test", "failing.test", "refused.test"])(
  "falls back to the system for names unknown to the name servers: %s",
  async (name) => {
    await expect(resolveForeignName(name, [nameServer])).rejects.toMatchObject({ syscall: "getaddrinfo" });
  },
);

test("does not query name servers for names in /etc/hosts", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-hosts-"));
  const hosts = join(directory, "hosts");
  await writeFile(hosts, "# 10.0.0.1 inside.test\n10.0.0.2\tother.test Good.test # ours\n");
  await expect(resolveForeignName("good.test", [nameServer], hosts)).rejects.toMatchObject({
    syscall: "getaddrinfo",
  });
  expect(await resolveForeignName("inside.test", [nameServer], hosts)).toHaveLength(2);
  await rm(directory, { recursive: true });
});
