import { expect, test } from "vitest";
import { opcode } from "./opcode.ts";
import { ann, bob, type Client, type Kit, userAgent, withMax } from "./test-kit.ts";

/** Values of unexpected types. */
const odd: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  9_007_199_254_740_991,
  "",
  "x",
  "-1",
  "99999999999999999999999",
  "__proto__",
  2n ** 63n,
  new Uint8Array(3),
  [],
  [null],
  [[]],
  [{}],
  ["x", 1],
  {},
  { _type: null },
  { id: { id: {} } },
];

/** A payload of each operation, which the server accepts or refuses only for its content. */
function payloads(ids: {
  chatId: number;
  groupId: number;
  userId: number;
  messageId: string;
}): [number, object][] {
  const { chatId, groupId, userId, messageId } = ids;
  const upload = { count: 1, type: 0, uploaderType: 0, profile: false };
  const history = {
    from: 1_766_000_000_000,
    forward: 1,
    backward: 1,
    getMessages: true,
    getChat: true,
    itemType: "REGULAR",
  };
  const attaches = [
    { _type: "PHOTO", photoToken: "x" },
    { _type: "VIDEO", videoId: 1, token: "x", videoType: 0, duration: 1 },
    { _type: "AUDIO", audioId: 1, token: "x", duration: 1, wave: "AAAA" },
    { _type: "FILE", fileId: 1 },
    { _type: "CONTACT", contactId: userId },
    { _type: "LOCATION", latitude: 1, longitude: 1, zoom: 1 },
    { _type: "STICKER", stickerId: 1 },
    { _type: "POLL", title: "?", answers: [{ text: "a" }, { text: "b" }], settings: 0 },
  ];
  const group = { _type: "CONTROL", event: "new", chatType: "CHAT", title: "T", userIds: [userId] };
  const message = {
    text: "hi",
    cid: 1,
    elements: [{ type: "STRONG", from: 0, length: 1, entityId: 1, attributes: {} }],
    link: { type: "FORWARD", messageId, chatId },
  };
  return [
    [opcode.ping, { interactive: false }],
    [opcode.log, { events: [] }],
    [opcode.sessionInit, { userAgent, deviceId: "device-1" }],
    [opcode.authRequest, { phone: bob, type: "START_AUTH", language: "ru" }],
    [opcode.auth, { token: "x", verifyCode: "1", authTokenType: "CHECK_CODE" }],
    [opcode.loginCheckPassword, { trackId: "x", password: "x" }],
    [opcode.getQr, {}],
    [opcode.getQrStatus, { trackId: "x" }],
    [opcode.loginByQr, { trackId: "x" }],
    [opcode.sessionsInfo, {}],
    [opcode.sessionsClose, {}],
    [opcode.foldersGet, { folderSync: 0 }],
    [opcode.assetsUpdate, { type: "STICKER", sync: 0 }],
    [opcode.contactInfo, { contactIds: [userId] }],
    [opcode.contactUpdate, { contactId: userId, action: "UPDATE", firstName: "B", lastName: "" }],
    [opcode.contactPresence, { contactIds: [userId] }],
    [opcode.contactInfoByPhone, { phone: bob }],
    [opcode.chatInfo, { chatIds: [chatId, groupId, 0] }],
    [opcode.chatsList, { marker: 1_999_000_000_000, count: 1 }],
    [opcode.chatMark, { chatId, messageId, type: "READ_MESSAGE", mark: 1 }],
    [opcode.chatUpdate, { chatId: groupId, theme: "T", description: "D" }],
    [opcode.chatJoin, { link: "join/x" }],
    [opcode.chatMembers, { chatId: groupId, type: "MEMBER", marker: 0, count: 1 }],
    [
      opcode.chatMembersUpdate,
      { chatId: groupId, userIds: [], operation: "add", showHistory: true, cleanMsgPeriod: 0 },
    ],
    [opcode.chatSubscribe, { chatId, subscribe: true }],
    [opcode.chatHistory, { chatId, ...history, interactive: false, forwardTime: 0, backwardTime: 0 }],
    ...attaches.map((attach): [number, object] => [
      opcode.msgSend,
      { chatId, message: { ...message, attaches: [attach] }, notify: true },
    ]),
    [opcode.msgSend, { userId, message: { ...message, attaches: [] } }],
    [opcode.msgSend, { message: { cid: 2, attaches: [group] } }],
    [
      opcode.msgEdit,
      { chatId, messageId, text: "x", elements: message.elements, attachments: attaches.slice(4, 5) },
    ],
    [opcode.msgTyping, { chatId, type: "TEXT" }],
    [opcode.msgGet, { chatId, messageIds: [messageId] }],
    [opcode.msgReaction, { chatId, messageId, reaction: { reactionType: "EMOJI", id: "👍" } }],
    [opcode.msgGetReactions, { chatId, messageIds: [messageId] }],
    [opcode.msgCancelReaction, { chatId, messageId }],
    [opcode.photoUpload, { count: 1, profile: false }],
    [opcode.videoUpload, upload],
    [opcode.fileUpload, upload],
    [opcode.videoPlay, { chatId, messageId, videoId: 1, token: "x" }],
    [opcode.fileDownload, { chatId, messageId, fileId: 1 }],
    [opcode.msgDelete, { chatId, messageIds: ["7"], forMe: false, itemType: "REGULAR" }],
  ];
}

/** The payload with one value at a time changed, at every depth. */
function* spoilt(value: unknown): Generator<unknown> {
  yield* odd;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const each of spoilt(item)) yield value.with(index, each);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      const { [name]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
      for (const each of spoilt(item)) yield { ...value, [name]: each };
    }
  }
}

async function prepare({ admin, link, idOf }: Kit) {
  const client = await link(ann);
  const userId = await idOf(bob);
  const chatId = Number(BigInt(await idOf(ann)) ^ BigInt(userId));
  const group = await admin("POST /groups", { participants: [ann, bob] });
  const sent = await client.text(chatId, "hi");
  const ids = { chatId, groupId: Number(group["id"]), userId, messageId: String(sent["message"]?.["id"]) };
  return { client, cases: payloads(ids) };
}

let lastCid = 1000;

/** A different `cid` for each message: a known one returns the first message, regardless of the rest. */
function withOwnCid(payload: unknown): unknown {
  const message = (payload as { message?: { cid?: unknown } } | null)?.message;
  return message?.cid === 1 ? { ...(payload as object), message: { ...message, cid: lastCid++ } } : payload;
}

/** Every request gets one response: a payload, or an error that names the cause. Returns the internal failures. */
async function bugsIn(
  client: Client,
  cases: readonly [number, object][],
): Promise<{ count: number; bugs: string[] }> {
  const bugs = new Set<string>();
  let count = 0;
  for (const [operation, payload] of cases) {
    const requests = [...spoilt(payload)].map((each) => client.exchange(operation, withOwnCid(each)));
    const answers = await Promise.all(requests);
    count += answers.length;
    for (const answer of answers) {
      const { error, message } = (answer.payload ?? {}) as { error?: string; message?: string };
      if (answer.cmd === 3 && error === "internal") bugs.add(`${operation}: ${message}`);
    }
  }
  return { count, bugs: [...bugs] };
}

test("every operation handles every unexpected value in each of its fields", async () => {
  await withMax(async (kit) => {
    const { client, cases } = await prepare(kit);
    const { count, bugs } = await bugsIn(client, cases);
    expect(bugs).toEqual([]);
    expect(count).toBeGreaterThan(2000);
    expect((await client.call(opcode.sessionsInfo, {}))["sessions"]).toHaveLength(1);
  });
});
