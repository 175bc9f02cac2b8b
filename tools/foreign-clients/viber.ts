import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expectEqual, type ForeignClient, type Stage } from "./client.ts";

const bot = "pa:75346594275468546724";
const token = "4453b6ac1s345678-e02c5f12174805f9-demotrunklinesand";

interface ViberClient {
  setWebhook(url: string): Promise<unknown>;
  getAccountInfo(): Promise<{ id: string }>;
  sendText(receiver: string, text: string): Promise<unknown>;
}

interface Callback {
  readonly event: string;
  readonly sender?: { readonly id: string };
  readonly message?: { readonly text: string };
}

/** Bottender's client. */
export const messagingApiViber: ForeignClient = {
  emulator: "viber",
  name: "messaging-api-viber",
  version: "1.1.0",
  async run(stage) {
    const library = stage.load(this.name) as { ViberClient: new (options: object) => ViberClient };
    // The library adds the /pa that the platform's address has, too.
    const options = { accessToken: token, sender: { name: "Shop" }, origin: `${stage.url}/viber` };
    const client = new library.ViberClient(options);
    const received = Promise.withResolvers<Callback>();
    const url = await listen(stage, (callback) => {
      if (callback.event === "message") received.resolve(callback);
    });
    await stage.step("connect", async () => {
      await client.setWebhook(url);
      expectEqual((await client.getAccountInfo()).id, bot);
    });
    const { sender } = await stage.step("receive", async () => {
      await stage.admin("POST /messages", { text: "Hello" });
      const callback = await received.promise;
      expectEqual(callback.message?.text, "Hello");
      return callback;
    });
    await stage.step("send", () => client.sendText(sender?.id ?? "", "Hi"));
    await stage.step("arrived", async () => {
      const { items } = await stage.admin(`GET /bots/${bot}/sent?count=1`);
      expectEqual(items?.[0]?.["message"]?.["text"], "Hi");
    });
  },
};

/** A receiver of callbacks on a free port of loopback; returns its address. */
async function listen({ atEnd }: Stage, take: (callback: Callback) => void): Promise<string> {
  const server = createServer(async (request: IncomingMessage, response) => {
    take(JSON.parse(await text(request)) as Callback);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
