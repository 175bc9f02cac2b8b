import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import type { ApiReply } from "../kit/testing.ts";
import { openSession } from "./session.ts";
import {
  FAST,
  type FakeBotApi,
  fileMessage,
  linkTo,
  ok,
  outboundFile,
  PROFILE,
  refuse,
  sentMessage,
  startFakeBotApi,
  type TelegramTestLink,
  TOKEN_SECRET,
  textMessage,
} from "./testing.ts";

const REF: MessageRef = { chatType: "telegram", chatId: "111", externalId: "15" };
const never = new AbortController().signal;
const SENT = { chatId: "111", externalId: "17", sentAt: new Date(1790000200 * 1000) };
const NOT_MODIFIED = refuse(
  400,
  "Bad Request: message is not modified: specified new message content is the same",
);
const DISABLED = { status: "disabled", reason: "unauthorized" };
const BAD_LINK = refuse(400, "Bad Request: failed to get HTTP URL content");
const PUBLIC_PHOTO = { urlIsPublic: true, url: "https://cdn.example.com/a.jpg" };

let api: FakeBotApi;
let link: TelegramTestLink;
let session: Awaited<ReturnType<typeof openSession>>;

beforeEach(async () => {
  api = await startFakeBotApi({ "photos/file_1.jpg": "picture" });
  api.on("getMe", ok({ id: 123456, is_bot: true, first_name: "Shop", username: "shop_bot" }));
  api.on("deleteWebhook", ok(true));
  link = linkTo(api.url);
  session = await openSession(link, FAST);
  await api.request("getUpdates");
});

afterEach(async () => {
  await session.close();
  await link.dispose();
  expect(await api.finish()).toEqual([]);
});

/** The calls made in a test, without those that opened the session. */
function calls(): unknown[] {
  return api.requests.filter(({ method }) => !["getMe", "deleteWebhook", "getUpdates"].includes(method));
}

async function failure(work: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await work.then(
    () => new Error("did not fail"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TransportError);
  expect(JSON.stringify([error, String(error), String((error as Error).cause)])).not.toContain(TOKEN_SECRET);
  return error as TransportError;
}

describe("send", () => {
  it("sends text and returns its chat and id", async () => {
    api.on("sendMessage", sentMessage(17));
    expect(await session.send(textMessage(), never)).toEqual(SENT);
    expect(calls()).toEqual([{ method: "sendMessage", params: { chat_id: 111, text: "hello" } }]);
  });

  it("uploads a file with its name and type", async () => {
    api.on("sendPhoto", sentMessage(17));
    expect(await session.send(fileMessage(), never)).toEqual(SENT);
    const file = { name: "photo.jpg", type: "image/jpeg", text: "file content" };
    expect(calls()).toEqual([
      { method: "sendPhoto", params: { chat_id: "111", photo: "attach://file" }, file },
    ]);
  });

  it.each([
    "Bad Request: failed to get HTTP URL content",
    "Bad Request: wrong type of the web page content",
    "Bad Request: wrong file identifier/HTTP URL specified",
  ])("uploads if Telegram cannot use the link: %s", async (words) => {
    api.on("sendPhoto", refuse(400, words), sentMessage(17));
    expect(await session.send(fileMessage(PUBLIC_PHOTO), never)).toEqual(SENT);
    expect(calls()).toMatchObject([
      { params: { photo: PUBLIC_PHOTO.url } },
      { file: { text: "file content" } },
    ]);
  });

  it("sends a picture of odd dimensions as a document, once", async () => {
    api.on("sendPhoto", refuse(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"));
    api.on("sendDocument", refuse(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"));
    const error = await failure(session.send(fileMessage(), never));
    expect(error).toMatchObject({ code: "CONTENT_CONVERSION_ERROR", retry: "never" });
  });

  it("follows a group's migration to a supergroup, and reports it", async () => {
    const words = "Bad Request: group chat was upgraded to a supergroup chat";
    api.on("sendMessage", refuse(400, words, { migrate_to_chat_id: -1001 }), sentMessage(17, -1001));
    const message = textMessage({ to: { chatType: "telegroup", chatId: "-4012" } });
    expect(await session.send(message, never)).toEqual({ ...SENT, chatId: "-1001" });
    expect(calls()).toMatchObject([{ params: { chat_id: -4012 } }, { params: { chat_id: -1001 } }]);
    expect(link.events.at(-1)).toEqual({
      kind: "moved",
      chatType: "telegroup",
      chatId: "-4012",
      newChatId: "-1001",
    });
  });

  it("follows one migration only, because groups might refer to each other", async () => {
    const to = (id: number) => refuse(400, "Bad Request: upgraded", { migrate_to_chat_id: id });
    api.on("sendMessage", to(-1001), to(-4012));
    const message = textMessage({ to: { chatType: "telegroup", chatId: "-4012" } });
    expect(await failure(session.send(message, never))).toMatchObject({ retry: "never" });
  });

  it("sends to the new group even if the migration was not stored", async () => {
    await link.waitFor(({ kind }) => kind === "link");
    link.onEmit(() => Promise.reject(new Error("database is away")));
    api.on(
      "sendMessage",
      refuse(400, "Bad Request: upgraded", { migrate_to_chat_id: -1001 }),
      sentMessage(17, -1001),
    );
    await session.send(textMessage({ to: { chatType: "telegroup", chatId: "-4012" } }), never);
    expect(link.logs).toContainEqual(expect.objectContaining({ level: "warn" }));
  });

  it("uses our id for a delayed message", async () => {
    api.on("sendMessage", sentMessage(0));
    expect(await session.send(textMessage(), never)).toMatchObject({
      externalId: `pending:${textMessage().id}`,
    });
  });

  it.each([true, null])("counts a success without a message as sent: %j", async (result) => {
    api.on("sendMessage", ok(result));
    const externalId = `pending:${textMessage().id}`;
    expect(await session.send(textMessage(), never)).toMatchObject({ chatId: "111", externalId });
  });

  const outcomes: readonly (readonly [string, OutboundMessage, ApiReply, object])[] = [
    [
      "a blocked bot",
      textMessage(),
      refuse(403, "Forbidden: bot was blocked by the user"),
      { code: "BAD_CONTACT", retry: "never" },
    ],
    ["500", textMessage(), refuse(500, "Internal Server Error"), { code: "UNKNOWN_ERROR", retry: "unknown" }],
    ["garbage", textMessage(), { body: '{"ok":tr' }, { code: "UNKNOWN_ERROR", retry: "unknown" }],
    ["413", textMessage(), { status: 413, body: "<html>" }, { code: "TOO_BIG_CONTENT", retry: "never" }],
  ];
  it.each(outcomes)("fails after %s", async (_, message, reply, expected) => {
    api.on("sendMessage", reply);
    expect(await failure(session.send(message, never))).toMatchObject(expected);
  });

  it("does not upload again when the upload's outcome is unknown", async () => {
    api.on("sendPhoto", BAD_LINK, refuse(502, "Bad Gateway"));
    expect(await failure(session.send(fileMessage(PUBLIC_PHOTO), never))).toMatchObject({ retry: "unknown" });
  });

  it("throttles the chat after a flood error, and the bot after three chats", async () => {
    const flood = refuse(429, "Too Many Requests: retry after 5", { retry_after: 5 });
    api.on("sendMessage", flood, flood, flood, flood);
    const scopes: unknown[] = [];
    for (const chatId of ["1", "1", "2", "3"]) {
      const error = await failure(session.send(textMessage({ to: { chatType: "telegram", chatId } }), never));
      scopes.push(error.retry);
    }
    expect(scopes).toEqual(["chat", "chat", "chat", "channel"].map((scope) => ({ afterMs: 5_000, scope })));
  });

  it.each([
    [401, "Unauthorized"],
    [404, "Not Found"],
  ])("disables the channel when the token is revoked: %i", async (status, words) => {
    api.on("sendMessage", refuse(status, words));
    expect(await failure(session.send(textMessage(), never))).toMatchObject({
      code: "CHANNEL_REJECTED",
      retry: "never",
    });
    expect(link.events.at(-1)).toEqual({ kind: "link", state: DISABLED });
  });

  it("ends when its signal aborts", async () => {
    const deadline = AbortSignal.abort();
    expect((await failure(session.send(textMessage(), deadline))).code).toBe("UNKNOWN_ERROR");
  });
});

describe("edit", () => {
  it("changes text", async () => {
    api.on("editMessageText", sentMessage(15));
    await session.edit(REF, { text: "new" }, never);
    expect(calls()).toEqual([
      { method: "editMessageText", params: { chat_id: 111, message_id: 15, text: "new" } },
    ]);
  });

  it("changes the caption of a file", async () => {
    api.on("editMessageText", refuse(400, "Bad Request: there is no text in the message to edit"));
    api.on("editMessageCaption", sentMessage(15));
    await session.edit(REF, { text: "new" }, never);
    expect(calls().at(-1)).toMatchObject({ params: { chat_id: 111, message_id: 15, caption: "new" } });
  });

  it("counts an unchanged text and an unchanged caption as success", async () => {
    api.on(
      "editMessageText",
      NOT_MODIFIED,
      refuse(400, "Bad Request: there is no text in the message to edit"),
    );
    api.on("editMessageCaption", NOT_MODIFIED);
    await session.edit(REF, { text: "same" }, never);
    await session.edit(REF, { text: "same" }, never);
  });

  it("replaces a file by link, or by upload if the link is rejected", async () => {
    api.on("editMessageMedia", BAD_LINK, sentMessage(15));
    await session.edit(REF, { file: outboundFile(PUBLIC_PHOTO) }, never);
    expect(calls()).toMatchObject([
      { params: { chat_id: 111, message_id: 15, media: { type: "photo", media: PUBLIC_PHOTO.url } } },
      { params: { media: '{"type":"photo","media":"attach://file"}' }, file: { text: "file content" } },
    ]);
  });

  it.each([
    ["Bad Request: message to edit not found", "MESSAGE_DELETED"],
    ["Bad Request: MESSAGE_ID_INVALID", "MESSAGE_DELETED"],
    ["Bad Request: message can't be edited", "GENERAL_ERROR"],
  ])("fails: %s", async (words, code) => {
    api.on("editMessageText", refuse(400, words));
    expect(await failure(session.edit(REF, { text: "new" }, never))).toMatchObject({
      code,
      retry: "never",
      data: words,
    });
  });

  it("does not call Telegram to edit a button press", async () => {
    await failure(session.edit({ ...REF, externalId: "callback:77" }, { text: "new" }, never));
    expect(calls()).toEqual([]);
  });
});

describe("react", () => {
  it.each([
    ["❤️", [{ type: "emoji", emoji: "❤" }]],
    ["👍", [{ type: "emoji", emoji: "👍" }]],
    [null, []],
  ])("%s", async (emoji, reaction) => {
    api.on("setMessageReaction", ok(true));
    await session.react({ ...REF, isOwn: false, changeId: "1" }, emoji, never);
    expect(calls()).toEqual([
      { method: "setMessageReaction", params: { chat_id: 111, message_id: 15, reaction } },
    ]);
  });
});

describe("remove", () => {
  it("deletes", async () => {
    api.on("deleteMessage", ok(true));
    await session.remove(REF, never);
    expect(calls()).toEqual([{ method: "deleteMessage", params: { chat_id: 111, message_id: 15 } }]);
  });

  it("counts a missing message as removed", async () => {
    api.on("deleteMessage", refuse(400, "Bad Request: message to delete not found"));
    await session.remove(REF, never);
  });

  it("fails for a message that is too old", async () => {
    const words = "Bad Request: message can't be deleted for everyone";
    api.on("deleteMessage", refuse(400, words));
    expect(await failure(session.remove(REF, never))).toMatchObject({ code: "GENERAL_ERROR", data: words });
  });
});

describe("openFile", () => {
  const file = ok({ file_id: "AgAC", file_unique_id: "u", file_size: 7, file_path: "photos/file_1.jpg" });

  it("streams a file", async () => {
    api.on("getFile", file);
    const { stream, ...facts } = await session.openFile({ token: "AgAC" }, never);
    expect((await buffer(stream)).toString()).toBe("picture");
    expect(facts).toEqual({ name: "file_1.jpg", mimeType: "image/jpeg", size: 7 });
    expect(calls()).toEqual([{ method: "getFile", params: { file_id: "AgAC" } }]);
  });

  it("keeps the name and type given in the message", async () => {
    api.on("getFile", file);
    const opened = await session.openFile({ token: "AgAC", name: "me.jpg", mimeType: "image/x-me" }, never);
    opened.stream.destroy();
    expect(opened).toMatchObject({ name: "me.jpg", mimeType: "image/x-me" });
  });

  it("opens a person's picture", async () => {
    api.on(
      "getUserProfilePhotos",
      ok({ total_count: 1, photos: [[{ file_id: "small" }, { file_id: "AgAC" }]] }),
    );
    api.on("getFile", file);
    (await session.openFile({ token: "avatar:111" }, never)).stream.destroy();
    expect(calls()).toMatchObject([{ params: { user_id: 111, limit: 1 } }, { params: { file_id: "AgAC" } }]);
  });

  it("fails if a person has no picture", async () => {
    api.on("getUserProfilePhotos", ok({ total_count: 0, photos: [] }));
    expect(await failure(session.openFile({ token: "avatar:111" }, never))).toMatchObject({ retry: "never" });
  });

  it.each([
    ["Bad Request: file is too big", "TOO_BIG_CONTENT", "never"],
    ["Bad Request: wrong file_id or the file is temporarily unavailable", "GENERAL_ERROR", "later"],
  ])("fails: %s", async (words, code, retry) => {
    api.on("getFile", refuse(400, words));
    expect(await failure(session.openFile({ token: "AgAC" }, never))).toMatchObject({ code, retry });
  });

  it("a file that is not there yet is retried, and does not count as a revoked token", async () => {
    api.on("getFile", ok({ file_id: "AgAC", file_unique_id: "u", file_path: "photos/other.jpg" }));
    expect(await failure(session.openFile({ token: "AgAC" }, never))).toMatchObject({ retry: "later" });
    expect(link.events).not.toContainEqual(expect.objectContaining({ state: DISABLED }));
  });
});

describe("logout", () => {
  it("leaves a polled bot as it is", async () => {
    await session.logout();
    expect(calls()).toEqual([]);
  });

  const OWN = "https://gateway.example.com/in/1";

  it.each([
    ["removes the webhook, also after closing", OWN, 1],
    ["leaves a webhook that another channel has set", "https://gateway.example.com/in/2", 0],
  ])("%s", async (_, url, deletions) => {
    api.on("getMe", ok({ id: 123456, is_bot: true, first_name: "Shop", username: "shop_bot" }));
    api.on("setWebhook", ok(true));
    api.on("getWebhookInfo", ok({ url, has_custom_certificate: false, pending_update_count: 0 }));
    if (deletions > 0) api.on("deleteWebhook", ok(true));
    const before = api.requests.filter(({ method }) => method === "deleteWebhook").length;
    const called = linkTo(api.url, OWN);
    onTestFinished(() => called.dispose());
    const other = await openSession(called, { ...FAST, checkMs: 60_000 });
    expect(await called.waitFor(({ kind }) => kind === "link")).toMatchObject({
      state: { profile: PROFILE },
    });
    await other.close();
    await other.logout();
    expect(api.requests.filter(({ method }) => method === "deleteWebhook")).toHaveLength(before + deletions);
  });
});
