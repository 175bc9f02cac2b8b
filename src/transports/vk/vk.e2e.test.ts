import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import type { InboundMessage } from "../../core/transport/events.ts";
import { receive } from "./callback.ts";
import { ANN, admin, openWorld, useVk } from "./e2e-test-kit.ts";
import { openSession } from "./session.ts";
import { FAST, outboundFile, textMessage, type VkTestLink } from "./testing.ts";

/** Tests the connector against the VK emulator. The two were written independently of each other. */

const never = new AbortController().signal;
useVk();

/** A server for VK's calls, and the function that says whose they are. */
async function serveCalls(): Promise<{ readonly url: string; attach(link: VkTestLink): void }> {
  let attached: VkTestLink | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = "", headers } = request;
    const reply = attached
      ? await receive({ method, path: "", query: new URLSearchParams(), headers, body }, attached)
      : { status: 503 };
    response.writeHead(reply.status).end(reply.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    attach: (link) => {
      attached = link;
    },
  };
}

/** VK confirms a callback server before it responds that the server was added. */
async function confirmFirst(): Promise<void> {
  await admin("/settings", { confirmation: "before_answer" });
  onTestFinished(async () => {
    await admin("/settings", { confirmation: "after_answer" });
    await admin("/faults", undefined, "DELETE");
  });
}

function message(link: VkTestLink, fits: (message: InboundMessage) => boolean): Promise<InboundMessage> {
  return link
    .waitFor((event) => event.kind === "message" && fits(event.message))
    .then((event) => (event as { message: InboundMessage }).message);
}

const says =
  (text: string) =>
  ({ body }: InboundMessage) =>
    body.type === "text" && body.text === text;
const toAnn = { to: { chatType: "vk", chatId: String(ANN) } } as const;

describe("vk against the emulated VK", () => {
  it("sends a repeated message once, and files in a form that VK accepts", async () => {
    const { session, groupId } = await openWorld();
    const once = await session.send(textMessage(toAnn), never);
    expect(await session.send(textMessage(toAnn), never)).toMatchObject({ externalId: once.externalId });
    for (const [kind, mimeType, name] of [
      ["document", "application/pdf", "offer.pdf"],
      ["audio", "audio/mpeg", "tune.mp3"],
      ["document", "audio/mpeg", "tune.mp3"],
      ["image", "image/jpeg", "no-picture.jpg"],
    ] as const) {
      const file = outboundFile({ kind, mimeType, name });
      const content = { type: "file", file } as const;
      const sent = await session.send(textMessage({ ...toAnn, id: `${kind} ${mimeType}`, content }), never);
      expect(sent.externalId).toMatch(/^\d+$/);
    }
    const { items } = await admin<{
      items: { method: string; message?: { attachments: { type: string }[] } }[];
    }>(`/communities/${groupId}/sent?method=messages.send`);
    expect(items.map(({ message: sent }) => sent?.attachments.map(({ type }) => type))).toEqual([
      [],
      ["doc"],
      ["doc"],
      ["doc"],
      ["doc"],
    ]);
  });

  it("receives from people and from VK's page, opens files, keeps what an edit does not name", async () => {
    const { session, link, ann, groupId } = await openWorld();
    const bytes = Buffer.from("what a person sends");
    await ann("messages", { text: "hi" });
    expect(await message(link, says("hi"))).toMatchObject({ contact: { name: "Ann Bell" } });
    await ann("messages", { kind: "doc", file: { base64: bytes.toString("base64"), name: "a.pdf" } });
    const { body } = await message(link, (each) => each.body.type === "media");
    if (body.type !== "media") throw new Error("no file came");
    expect(await buffer((await session.openFile(body.file, never)).stream)).toEqual(bytes);
    await ann("messages", { text: "see https://shop.example/1", attachments: [] });
    expect(await message(link, says("see https://shop.example/1"))).toMatchObject({ body: { type: "text" } });
    // The event has neither the second file nor the forwarded one.
    await ann("messages", { text: "both", attachments: ["photo", "doc"], forward: [2] });
    await message(link, (each) => each.body.type === "media" && each.body.text === "both");
    await message(link, ({ externalId }) => externalId.endsWith("#3"));
    await admin(`/communities/${groupId}/replies`, { peer_id: ANN, admin_author_id: 100, text: "by hand" });
    expect(await message(link, says("by hand"))).toMatchObject({ direction: "echo" });

    const content = { type: "file", file: outboundFile() } as const;
    const sent = await session.send(textMessage({ ...toAnn, content }), never);
    const ref = { chatType: "vk", chatId: String(ANN), externalId: sent.externalId } as const;
    await session.edit(ref, { text: "the offer" }, never);
    const { items } = await admin<{ items: { message: { text: string; attachments: unknown[] } }[] }>(
      `/communities/${groupId}/sent?method=messages.edit`,
    );
    expect(items).toMatchObject([{ message: { text: "the offer", attachments: [{ type: "doc" }] } }]);
    await ann("reads");
    await link.waitFor((event) => event.kind === "readUpTo");
    await session.remove(ref, never);
    await session.remove(ref, never);
  });

  it("reactions, in both directions", async () => {
    const { session, link, ann, groupId } = await openWorld();
    const { externalId } = await session.send(textMessage(toAnn), never);
    const target = { chatType: "vk", chatId: String(ANN), externalId, isOwn: true } as const;
    for (const emoji of ["😍", null]) {
      await session.react({ ...target, changeId: String(emoji) }, emoji, never);
      await ann("reactions", { ...(emoji !== null && { reaction_id: 15 }) });
      const reacted = await link.waitFor((event) => event.kind === "reaction" && event.emoji === emoji);
      expect(reacted).toMatchObject({ ref: { externalId }, by: { id: String(ANN), name: "Ann Bell" } });
    }
    await expect(session.react({ ...target, changeId: "3" }, "🧨", never)).rejects.toMatchObject({
      code: "GENERAL_ERROR",
      retry: "never",
    });
    const sent = await admin<{ items: { method: string; request: object }[] }>(
      `/communities/${groupId}/sent`,
    );
    const reactions = sent.items.filter(({ method }) => method.endsWith("Reaction"));
    expect(reactions).toMatchObject([
      { method: "messages.sendReaction", request: { cmid: externalId, reaction_id: "15" } },
      { method: "messages.deleteReaction", request: { cmid: externalId } },
    ]);
  });

  it("resumes where it stopped, also if VK has dropped the events", async () => {
    const { session, link, ann, groupId } = await openWorld();
    await ann("messages", { text: "first" });
    await message(link, says("first"));
    await session.close();
    await ann("messages", { text: "meanwhile" });
    const second = await openSession(link, FAST);
    await message(link, says("meanwhile"));
    await second.close();
    await ann("messages", { text: "forgotten" });
    await admin(`/communities/${groupId}/long_poll_failures`, { failed: 3 });
    const third = await openSession(link, FAST);
    onTestFinished(() => third.close());
    await message(link, says("forgotten"));
  });

  it("misses nothing written before VK returns the new position", async () => {
    const { session, link, ann, groupId } = await openWorld();
    onTestFinished(() => session.close());
    await ann("messages", { text: "first" });
    await message(link, says("first"));
    await admin("/faults", {
      group_id: groupId,
      method: "groups.getLongPollServer",
      error_code: 10,
      times: 10_000,
    });
    await admin(`/communities/${groupId}/long_poll_failures`, { failed: 3 });
    // Ends the pending long poll.
    await ann("messages", { text: "second" });
    await link.waitForLog((line) => line.message.includes("receiving is interrupted"));
    await ann("messages", { text: "in between" });
    await admin("/faults", undefined, "DELETE");
    await message(link, says("in between"));
  });

  it("accepts webhooks only with the secret, and replaces a server that VK has disabled", async () => {
    const { url, attach } = await serveCalls();
    const { link, ann, groupId, session } = await openWorld(url, attach);
    await ann("messages", { text: "pushed" });
    await message(link, says("pushed"));
    const { items } = await admin<{ items: { seq: number }[] }>(`/callbacks?event=message_new`);
    const seq = items.at(-1)?.seq;
    expect(await admin(`/callbacks/${seq}/repeats`, { times: 2 })).toMatchObject({ statuses: [200, 200] });
    expect(await admin(`/callbacks/${seq}/forgeries`, { secret: "guessed" })).toMatchObject({ status: 401 });
    const servers = () =>
      admin<{ items: { id: number; status: string }[] }>(`/communities/${groupId}/servers`);
    const [first] = (await servers()).items;
    await admin(`/communities/${groupId}/servers/${first?.id}/statuses`, { status: "failed" });
    await expect.poll(async () => (await servers()).items.map(({ status }) => status)).toEqual(["ok"]);
    await ann("messages", { text: "pushed again" });
    await message(link, says("pushed again"));
    await session.close();
    await session.logout();
    expect((await servers()).items).toEqual([]);
  });

  it("sets up a confirmed callback server again whose settings failed, and then leaves it alone", async () => {
    await confirmFirst();
    const { url, attach } = await serveCalls();
    const method = "groups.setCallbackSettings";
    await admin("/faults", { method, error_code: 10, times: 1 });
    const { link, ann, groupId } = await openWorld(url, attach);
    await ann("messages", { text: "pushed" });
    await message(link, says("pushed"));
    const checks = "/calls?method=groups.getCallbackServers";
    const { last_seq: after } = await admin<{ last_seq: number }>(checks);
    await admin(`${checks}&after=${after}&count=3`);
    const { items } = await admin<{ items: { group_id: number }[] }>(`/calls?method=${method}`);
    expect(items.filter(({ group_id }) => group_id === groupId)).toHaveLength(2);
  });

  it("fetches the messages of an outage although the first attempt to fetch them failed", async () => {
    await confirmFirst();
    const { url, attach } = await serveCalls();
    const { link, ann, groupId } = await openWorld(url, attach);
    const { items } = await admin<{ items: { id: number }[] }>(`/communities/${groupId}/servers`);
    const fault = (method: string, error_code: number, times: number) =>
      admin<{ id: number }>("/faults", { group_id: groupId, method, error_code, times });
    const outage = await fault("groups.addCallbackServer", 10, 10_000);
    await admin(`/communities/${groupId}/servers/${items[0]?.id}/statuses`, { status: "failed" });
    await link.waitForLog((line) => line.message.includes("receiving is interrupted"));
    await ann("messages", { text: "missed" });
    await fault("messages.getHistory", 6, 1);
    await admin(`/faults/${outage.id}`, undefined, "DELETE");
    await message(link, says("missed"));
  });

  it("fetches what its webhooks missed when it starts to poll", async () => {
    const { url, attach } = await serveCalls();
    const { link, ann, groupId, session } = await openWorld(url, attach);
    await session.close();
    const { items } = await admin<{ items: { id: number }[] }>(`/communities/${groupId}/servers`);
    await admin(`/communities/${groupId}/servers/${items[0]?.id}/statuses`, { status: "failed" });
    await ann("messages", { text: "missed" });
    const polling = await openSession({ ...link, callbackUrl: null }, FAST);
    onTestFinished(() => polling.close());
    await message(link, says("missed"));
  });
});
