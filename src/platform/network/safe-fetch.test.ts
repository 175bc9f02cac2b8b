import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BlockedAddress } from "./guarded-lookup.ts";
import { createGuardedDispatcher, isAllowedUrl } from "./safe-fetch.ts";

const server = createServer((_request, response) => response.end("reached"));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

test.each([
  ["https://example.com/a?b=c", true],
  ["http://8.8.8.8/", true],
  ["http://127.0.0.1/", false],
  ["http://0x7f000001/", false],
  ["http://2130706433/", false],
  ["http://[::1]/", false],
  ["http://0/", false],
  ["https://user:pass@example.com/", false],
  ["https://user@example.com/", false],
  ["ftp://example.com/", false],
  ["file:///etc/passwd", false],
  ["javascript:alert(1)", false],
  ["/relative", false],
  ["", false],
  ["http://10.1.2.3:8080/", true],
  ["http://10.1.2.3/", false],
  ["https://10.1.2.3/", false],
  ["https://10.2.0.1/", true],
  ["http://10.2.0.1/", false],
])("isAllowedUrl(%s) is %s", (url, expected) => {
  expect(isAllowedUrl(url, ["10.1.0.0/16:8080", "10.2.0.0/16:443"])).toBe(expected);
});

test.each([
  "localhost",
  "127.0.0.1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "0x7f000001",
  "2130706433",
  "0",
  "[64:ff9b::7f00:1]",
])("the guard blocks http://%s", async (host) => {
  const dispatcher = createGuardedDispatcher({ allowNetworks: [] });
  const { origin } = new URL(`http://${host}:${port}`);
  await expect(dispatcher.request({ origin, path: "/", method: "GET" })).rejects.toThrow(BlockedAddress);
  await dispatcher.close();
});

test.each(["localhost", "127.0.0.1", "[::ffff:127.0.0.1]"])(
  "an allowed network can be reached as %s",
  async (host) => {
    const dispatcher = createGuardedDispatcher({ allowNetworks: ["127.0.0.0/8", "::1/128"] });
    const { origin } = new URL(`http://${host}:${port}`);
    const { body } = await dispatcher.request({ origin, path: "/", method: "GET" });
    expect(await body.text()).toBe("reached");
    await dispatcher.close();
  },
);

test.each(["localhost", "127.0.0.1"])("a rule with a port allows only that port of %s", async (host) => {
  const get = async (allowed: number) => {
    const dispatcher = createGuardedDispatcher({
      allowNetworks: [`127.0.0.0/8:${allowed}`, `::1/128:${allowed}`],
    });
    return dispatcher
      .request({ origin: `http://${host}:${port}`, path: "/", method: "GET" })
      .then(({ body }) => body.text())
      .finally(() => dispatcher.close());
  };
  expect(await get(port)).toBe("reached");
  await expect(get(port === 80 ? 81 : 80)).rejects.toThrow(BlockedAddress);
});
