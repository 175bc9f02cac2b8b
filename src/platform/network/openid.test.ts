import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createOpenIdProvider, ProviderAway } from "./openid.ts";

test("sign-ins that begin while the provider does not answer wait for one request, and fail together", async () => {
  const asked: ServerResponse[] = [];
  const server = createServer((_request, response) => void asked.push(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createOpenIdProvider(
    { issuer, clientId: "gateway", clientSecret: null, scopes: "openid" },
    ["127.0.0.0/8"],
  );
  const refuse = async (): Promise<void> => {
    await expect.poll(() => asked.length, { timeout: 60_000 }).toBeGreaterThan(0);
    for (const response of asked) response.writeHead(500).end();
  };
  const begin = () => provider.endSessionUrl({ returnTo: "https://gateway.example", idToken: null });
  // The first one loads the library.
  const first = begin();
  await refuse();
  await expect(first).rejects.toThrow(ProviderAway);
  asked.length = 0;

  const begun = Promise.allSettled(Array.from({ length: 20 }, begin));
  await refuse();
  for (const result of await begun)
    expect(result).toMatchObject({ status: "rejected", reason: expect.any(ProviderAway) });
  expect(asked).toHaveLength(1);
  // The next one asks anew.
  const next = begin();
  await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(2);
  asked.at(-1)?.writeHead(500).end();
  await expect(next).rejects.toThrow(ProviderAway);
});
