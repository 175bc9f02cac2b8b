import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { connectionFailure } from "./connection-failure.ts";

const failureOf = async (options: Agent.Options, url: string): Promise<unknown> => {
  const dispatcher = new Agent(options);
  onTestFinished(() => dispatcher.destroy());
  return request(url, { dispatcher }).then(
    () => null,
    (error: unknown) => error,
  );
};

/** Resolves every name to these addresses. */
const leadingTo = (...addresses: string[]): Agent.Options => ({
  connect: {
    timeout: 50,
    lookup: (_host, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
  },
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.each<[string, string[]]>([
  ["one address", ["127.0.0.1"]],
  ["several, tried in turn", ["127.0.0.1", "127.0.0.2", "::1"]],
])("a refused connection does not reveal what the name resolves to: %s", async (_, addresses) => {
  const failure = await failureOf(leadingTo(...addresses), `http://crm.inside:${await unusedPort()}/`);
  expect(connectionFailure(failure)).toBe("ECONNREFUSED: the connection was refused");
});

test("nor does a connection without a response", async () => {
  // TEST-NET-1 (RFC 5737): either unreachable or silent.
  const failure = await failureOf(leadingTo("192.0.2.7"), "http://crm.inside:9/");
  expect(failure).toBeInstanceOf(Error);
  expect(connectionFailure(failure)).not.toMatch(/192\.0\.2/);
});

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code });

test.each<[unknown, string]>([
  [new DOMException("aborted", "TimeoutError"), "no complete response in time"],
  [coded("EHOSTUNREACH", "connect EHOSTUNREACH 10.1.2.3:80"), "EHOSTUNREACH: the host is unreachable"],
  [coded("CERT_HAS_EXPIRED", "certificate has expired"), "CERT_HAS_EXPIRED: certificate has expired"],
  [
    new Error("", { cause: coded("ECONNRESET", "read ECONNRESET 10.1.2.3:80") }),
    "ECONNRESET: the connection was reset",
  ],
  [new Error("other side closed"), "other side closed"],
  ["odd", "odd"],
])("%s is described as %j", (error, text) => {
  expect(connectionFailure(error)).toBe(text);
});
