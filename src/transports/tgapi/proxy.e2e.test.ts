import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { startProxyServer } from "../../../sandbox/proxy-server.ts";
import { startMtproxy } from "../../../test/kit/mtproxy-server.ts";
import { bytesOf, next, sendUntilSent, signal, state, useTgapi } from "./e2e-test-kit.ts";
import { outboundFile, textMessage } from "./testing.ts";

const { dataCentres, makeLink, open, people, scan, seen, write } = useTgapi();

test.each([["plain"], ["dd"], ["ee"]] as const)(
  "an account is linked, sends, receives and moves files through an MTProxy only: %s secret",
  async (kind) => {
    const proxy = await startMtproxy(kind, dataCentres());
    onTestFinished(() => proxy.close());
    await people();
    const link = makeLink({ url: proxy.url, allowNetworks: null });
    const session = await open(link);
    await scan(link);
    await state(link, "active");
    const to = { chatType: "telegram", username: "bob_b" } as const;
    await session.send(textMessage({ to }), signal());
    expect(await seen()).toEqual(["hello"]);
    await write({ text: "hi" });
    await link.waitFor((event) => event.kind === "message");
    const bytes = Buffer.alloc(300_000, "x");
    const file = outboundFile({ size: bytes.length, open: () => Readable.from(bytes) });
    await session.send(textMessage({ id: randomUUID(), to, content: { type: "file", file } }), signal());
    await write({ kind: "document", file: { size: 400_000 } });
    const body = await next(link, (event) =>
      event.kind === "message" && event.message.body.type === "media" ? event.message.body : undefined,
    );
    expect(await bytesOf(await session.openFile(body.file, signal()))).toBe(400_000);
    expect([proxy.reached.length > 0, proxy.refused]).toEqual([true, 0]);
  },
);

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
