import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestOf } from "./registry.ts";

const server = createServer((_request, response) => response.end("reached"));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const definition = {
  settings: { apiUrl: { env: "API", default: "https://api.example", help: "", address: true } },
} as const;

/** What a transport whose messenger is at `apiUrl` gets from our server under `host`. */
async function fetched(apiUrl: string, host: string, allowNetworks: readonly string[]): Promise<string> {
  const request = requestOf(
    { definition, settings: { apiUrl } },
    { redact: (text) => text, allowNetworks, proxy: null },
  );
  const answer = await request({ method: "GET", url: `http://${host}:${port}/file` });
  return Buffer.from(await answer.bytes()).toString();
}

test.each(["127.0.0.1", "localhost"])(
  "the messenger is reached at the operator's address: %s",
  async (host) => {
    expect(await fetched(`http://${host}:${port}/bot`, host, [])).toBe("reached");
  },
);

test.each([
  ["127.0.0.1", "http://127.0.0.1:1/bot"],
  ["localhost", "https://api.example"],
  ["[::ffff:127.0.0.1]", "https://api.example"],
])("addresses in messages do not reach private networks: %s beside %s", async (host, apiUrl) => {
  await expect(fetched(apiUrl, host, [])).rejects.toMatchObject({
    sent: false,
    message: expect.stringContaining("ALLOW_NETWORKS"),
  });
});

test("networks allowed by the operator are reached", async () => {
  expect(await fetched("https://api.example", "127.0.0.1", ["127.0.0.0/8"])).toBe("reached");
});
