import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startSandbox } from "../../../sandbox/server.ts";
import type { InboundMessage } from "../../core/transport/events.ts";
import { receive } from "./callback.ts";
import { openSession } from "./session.ts";
import { FAST, linkTo, type MaxbotTestLink, outboundFile, textMessage } from "./testing.ts";

/** Tests the connector against the MAX emulator. The two were written independently of each other. */

const never = new AbortController().signal;
const ANN = 700_001;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({});
  await admin("/settings", { retry_scale: 0.001 });
  await admin("/users", { user_id: ANN, first_name: "Ann" });
});
afterAll(() => sandbox.close());

type Json = Record<string, unknown>;

async function admin<T = Json>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${sandbox.url}/admin/maxbot${path}`, init);
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json as T;
}

interface World {
  readonly botId: number;
  readonly token: string;
  readonly chatId: string;
  readonly link: MaxbotTestLink;
  readonly session: Awaited<ReturnType<typeof openSession>>;
  /** Makes Ann act, e.g. `ann("messages", {…})`. */
  readonly ann: <T = Json>(action: string, body?: object) => Promise<T>;
}

/** Creates a bot with an open channel, and Ann, who has pressed Start. */
async function openWorld(
  callbackUrl: string | null = null,
  attach?: (link: MaxbotTestLink) => void,
): Promise<World> {
  const { user_id: botId, token } = await admin<{ user_id: number; token: string }>("/bots", {});
  const { chat_id } = await admin<{ chat_id: number }>(`/bots/${botId}/users/${ANN}/start`, {});
  const link = linkTo(`${sandbox.url}/maxbot`, token, callbackUrl);
  attach?.(link);
  const session = await openSession(link, FAST);
  onTestFinished(() => session.close());
  await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
  const ann = <T>(action: string, body: object = {}) =>
    admin<T>(`/bots/${botId}/users/${ANN}/${action}`, body);
  return { botId, token, chatId: String(chat_id), link, session, ann };
}

function message(link: MaxbotTestLink, fits: (message: InboundMessage) => boolean): Promise<InboundMessage> {
  return link
    .waitFor((event) => event.kind === "message" && fits(event.message))
    .then((event) => (event as { message: InboundMessage }).message);
}

const to = ({ chatId }: World) => ({ chatType: "max", chatId }) as const;

describe("maxbot against the emulated MAX", () => {
  it("sends files of all kinds, and opens received ones", async () => {
    const world = await openWorld();
    const { session, link, ann } = world;
    for (const [kind, mimeType, name] of [
      ["document", "application/pdf", "offer.pdf"],
      ["audio", "audio/mpeg", "tune.mp3"],
    ] as const) {
      const file = outboundFile({ kind, mimeType, name });
      const sent = await session.send(textMessage({ to: to(world), content: { type: "file", file } }), never);
      expect(sent).toMatchObject({ chatId: world.chatId, externalId: expect.stringMatching(/^mid\./) });
    }
    const bytes = Buffer.from("what a person sends");
    for (const kind of ["file", "video", "voice"]) {
      await ann("messages", { kind, file: { base64: bytes.toString("base64"), name: "a.bin" } });
      const media = kind === "file" ? "document" : kind === "voice" ? "audio" : kind;
      const { body } = await message(link, (each) => each.body.type === "media" && each.body.media === media);
      if (body.type !== "media") throw new Error("no file came");
      const { stream } = await session.openFile(body.file, never);
      expect(await buffer(stream)).toEqual(bytes);
    }
  });

  it("does not repeat the preview of an address, and reads updates with fields that are new", async () => {
    const world = await openWorld();
    await admin("/settings", { novelty: 5 });
    onTestFinished(async () => void (await admin("/settings", { novelty: 0 })));
    for (const text of ["See https://shop.example/1", "see shop.example/2", "Thanks"]) {
      await world.ann("messages", { text });
      expect((await message(world.link, ({ body }) => "text" in body && body.text === text)).body.type).toBe(
        "text",
      );
    }
    // Reported after the events of its update.
    await vi.waitFor(() => expect(world.link.unknown.length).toBeGreaterThan(0), { timeout: 30_000 });
    expect(world.link.deadLetters).toEqual([]);
  });

  it("stores the marker, so that a new session resumes where the last one ended", async () => {
    const world = await openWorld();
    await world.ann("messages", { text: "first" });
    await message(world.link, ({ body }) => body.type === "text" && body.text === "first");
    await world.session.close();
    await world.ann("messages", { text: "meanwhile" });
    const session = await openSession(world.link, FAST);
    onTestFinished(() => session.close());
    await message(world.link, ({ body }) => body.type === "text" && body.text === "meanwhile");
    const texts = world.link.events.flatMap((event) =>
      event.kind === "message" && event.message.body.type === "text" ? [event.message.body.text] : [],
    );
    expect(texts.filter((text) => text === "first")).toHaveLength(1);
  });

  it("subscribes, accepts webhooks only with the secret, and restores a missing subscription", async () => {
    let attached: MaxbotTestLink | undefined;
    const server = createServer(async (request, response) => {
      const body = await buffer(request);
      const reply = attached
        ? await receive(
            {
              method: request.method ?? "",
              path: "",
              query: new URLSearchParams(),
              headers: request.headers,
              body,
            },
            attached,
          )
        : { status: 503 };
      response.writeHead(reply.status).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
    const world = await openWorld(url, (link) => {
      attached = link;
    });
    const { link, ann, botId, token } = world;
    await ann("messages", { text: "pushed" });
    await message(link, ({ body }) => body.type === "text" && body.text === "pushed");
    const { items } = await admin<{ items: { seq: number }[] }>(
      `/callbacks?owner=${botId}&event=message_created`,
    );
    const seq = items.at(-1)?.seq;
    expect(await admin(`/callbacks/${seq}/repeats`, { times: 2 })).toMatchObject({ statuses: [200, 200] });
    expect(await admin(`/callbacks/${seq}/forgeries`, {})).toMatchObject({ status: 401 });
    await fetch(`${sandbox.url}/maxbot/subscriptions?url=${encodeURIComponent(url)}`, {
      method: "DELETE",
      headers: { authorization: token },
    });
    await expect
      .poll(() =>
        admin<{ subscriptions: unknown[] }>(`/bots/${botId}`).then((bot) => bot.subscriptions.length),
      )
      .toBe(1);
    await world.session.logout();
    expect(await admin(`/bots/${botId}`)).toMatchObject({ subscriptions: [] });
  });

  it("reports a revoked token once", async () => {
    const world = await openWorld();
    await admin(`/bots/${world.botId}/revocations`, {});
    await expect(world.session.send(textMessage({ to: to(world) }), never)).rejects.toMatchObject({
      code: "CHANNEL_REJECTED",
    });
    await world.link.waitFor((event) => event.kind === "link" && event.state.status === "disabled");
  });
});
