import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { startProxyServer } from "../../../sandbox/proxy-server.ts";
import { startMtproxy } from "../../../test/kit/mtproxy-server.ts";
import { sendUntilSent, signal, state, useTgapi } from "./e2e-test-kit.ts";
import { textMessage } from "./testing.ts";

const { dataCentres, makeLink, open, people, scan, seen, write } = useTgapi();

test("an account is linked, sends and receives through an MTProxy only", async () => {
  const proxy = await startMtproxy(randomBytes(16), dataCentres());
  onTestFinished(() => proxy.close());
  await people();
  const link = makeLink({ url: proxy.url, allowNetworks: null });
  const session = await open(link);
  await scan(link);
  await state(link, "active");
  await session.send(textMessage({ to: { chatType: "telegram", username: "bob_b" } }), signal());
  expect(await seen()).toEqual(["hello"]);
  await write({ text: "hi" });
  await link.waitFor((event) => event.kind === "message");
  expect(proxy.reached.length).toBeGreaterThan(0);
});

test.each([["socks5"], ["http"]] as const)(
  "%s: if the proxy dies, nothing is sent around it, and the account comes back with it",
  async (scheme) => {
    const proxy = await startProxyServer({ scheme, username: "u", password: "p" });
    onTestFinished(() => proxy.close());
    await people();
    const link = makeLink({ url: proxy.url, allowNetworks: null });
    const session = await open(link);
    await scan(link);
    await state(link, "active");
    await proxy.kill();
    await state(link, "lost");
    const hello = textMessage({ to: { chatType: "telegram", username: "bob_b" } });
    await expect(session.send(hello, signal())).rejects.toMatchObject({ retry: "later" });
    await write({ text: "hi" });
    await proxy.revive();
    await link.waitFor((event) => event.kind === "message");
    await sendUntilSent(session, hello);
    expect(await seen()).toEqual(["hi", "hello"]);
  },
);
