import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelLink, OutboundMessage, Session } from "../../../src/core/transport/connector.ts";
import { LoginRefused, TransportError } from "../../../src/core/transport/errors.ts";
import { serveSessions } from "../../../src/core/transport/isolation/serve-sessions.ts";

/** Sessions that follow the commands in message texts, including harmful ones. */
serveSessions(async (link: ChannelLink) => openPuppet(link));

const ballast: Buffer[] = [];
const PROFILE = { messengerId: "1", name: "Puppet" };

async function openPuppet(link: ChannelLink): Promise<Session> {
  const opened = Number((await link.state.get("opened")) ?? "0") + 1;
  await link.state.set("opened", String(opened));
  await link.emit({
    kind: "link",
    state: { status: "active", profile: { ...PROFILE, name: `${process.pid}` } },
  });
  return {
    send: (message) => act(link, message),
    close: async () => undefined,
    edit: async () => undefined,
    remove: async () => undefined,
    openFile: async ({ token }) => ({
      stream: Readable.from([Buffer.from(token.repeat(100_000))]),
      name: token,
    }),
    answer: async ({ kind, value }) => {
      if (value === "wrong") throw new LoginRefused("wrong", "not this one");
      return { code: `${kind} ${value}` };
    },
    logout: async () => link.log("info", "logged out"),
  };
}

const sent = (chatId: string, externalId: string) => ({ chatId, externalId, sentAt: new Date(0) });

async function act(link: ChannelLink, { content, id }: OutboundMessage): Promise<ReturnType<typeof sent>> {
  if (content.type === "file") {
    const bytes = await buffer(content.file.open());
    return sent(content.file.name, String(bytes.length));
  }
  const [what, arg = ""] = content.type === "text" ? content.text.split(" ") : [];
  switch (what) {
    case "block":
      for (;;) Math.random();
    case "throw":
      setTimeout(() => {
        throw new Error("a fault of the library");
      });
      return new Promise(() => undefined);
    case "print":
      console.warn("Session already closed", { privKey: arg });
      return sent("1", "printed");
    case "reject":
      void Promise.reject(new Error("forgotten"));
      await sleep(1);
      return sent("1", "survived");
    case "grow": {
      const heap: unknown[] = [];
      for (;;) heap.push(new Array(100_000).fill(heap.length));
    }
    case "refuse":
      throw new TransportError("SPAM", "no", { retry: { afterMs: 7, scope: "chat" }, data: "463" });
    case "renew":
      await link.renewCredentials({ token: arg });
      return sent("1", JSON.stringify(link.credentials));
    case "remember":
      await link.vault.write([{ family: "f", id: arg, value: Buffer.from(arg) }]);
      return sent("1", [...(await link.vault.readAll("f")).keys()].join());
    case "request":
      return sent("1", (await (await link.request({ method: "GET", url: arg })).bytes()).toString());
    case "environment":
      return sent("1", Object.keys(process.env).join());
    case "wait":
      return new Promise(() => undefined);
    case "swell":
      ballast.push(Buffer.alloc(400e6, 1));
      return sent("1", id);
    default:
      return sent(String(process.pid), id);
  }
}
