import { describe, expect, onTestFinished, test } from "vitest";
import type { TransportEvent } from "../../core/transport/events.ts";
import { parseFileToken } from "./inbound/file-token.ts";
import { isHandled } from "./inbound/receiver.ts";
import type { Push } from "./line/client.ts";
import { ANN, DIALOG, GROUP, linkTo, ME, receiverFor, sample } from "./testing.ts";

const NOWHERE = "http://127.0.0.1:9";
const IN_DIALOG = { chatType: "max", chatId: DIALOG } as const;
const IN_GROUP = { chatType: "maxgroup", chatId: GROUP } as const;
const ann = { id: DIALOG, name: "Ann" };

function receive() {
  const link = linkTo(NOWHERE);
  onTestFinished(() => {
    link.abort();
    return link.dispose();
  });
  const { receiver, ...others } = receiverFor(link);
  return {
    link,
    receiver,
    ...others,
    take: async (push: Push): Promise<readonly TransportEvent[]> => {
      const before = link.events.length;
      await receiver.take(push);
      return link.events.slice(before);
    },
  };
}

/** The push of a text whose message has these fields. */
function pushOf(fields: object): Push {
  const { opcode, payload } = sample("text") as { opcode: number; payload: { message: object } };
  return { opcode, payload: { ...payload, message: { ...payload.message, ...fields } } };
}

const told = async (name: string): Promise<readonly TransportEvent[]> => receive().take(sample(name));
/** The first message emitted for a sample. */
async function messageOf(name: string) {
  const [event] = await told(name);
  if (event?.kind !== "message") throw new Error(`${name} tells of ${event?.kind}`);
  return event.message;
}

test.each([
  ["their own contact", 100200399, "79001112233"],
  ["another person's contact", 77, "79990000002"],
])("a person who shares %s", async (_, contactId, phone) => {
  const push = JSON.parse(
    JSON.stringify(sample("contact")).replace('"contactId":77', `"contactId":${contactId}`),
  );
  const [event] = await receive().take(push);
  expect(event).toMatchObject({ message: { contact: { phone }, body: { type: "vcard" } } });
});

test("a text has a sender and a time", async () => {
  expect(await messageOf("text")).toEqual({
    ...IN_DIALOG,
    externalId: "115000000000000001",
    direction: "in",
    sentAt: new Date(1_790_000_001_000),
    contact: { name: "Ann", phone: "79990000002", avatar: { token: expect.stringContaining("r=ann") } },
    body: { type: "text", text: "Good morning" },
  });
});

describe("bodies", () => {
  test.each<[string, object]>([
    ["photo", { type: "media", media: "image", text: "Look" }],
    ["voice", { type: "media", media: "audio", text: "" }],
    ["file", { type: "media", media: "document", file: { name: "offer.pdf", size: 1234 } }],
    ["sticker", { type: "media", media: "image", file: { mimeType: "image/webp" } }],
    ["sticker-lottie", { type: "media", media: "document", file: { name: "sticker.json" } }],
    [
      "contact",
      {
        type: "vcard",
        vcard:
          "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bob\\, junior\r\nTEL;TYPE=CELL:+79001112233\r\nEND:VCARD\r\n",
      },
    ],
    ["location", { type: "geo", latitude: 55.75, longitude: 37.62, text: "" }],
    ["call-missed", { type: "missing_call" }],
    ["share", { type: "text", text: "see\nA shop\nhttps://shop.example/1" }],
    ["poll", { type: "unsupported", what: "poll", text: "Lunch?\n• Yes\n• No" }],
    ["forward", { type: "text", text: "fyi\n> news" }],
    ["links", { type: "text", text: "Prices (https://shop.example/prices) and 👋 Zoe" }],
    ["share-preview", { type: "text", text: "Have a look: shop.example/kettles" }],
    ["keyboard", { type: "text", text: "Book a table\nMenu (https://cafe.example/menu)\nBook" }],
    ["contact-person", { type: "vcard", vcard: "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Zoe Kay\r\nEND:VCARD\r\n" }],
    ["place", { type: "geo", latitude: 55.75, longitude: 37.62, text: "Meet here\nCafe Oak\nMain St 1" }],
    ["moving-photo", { type: "media", media: "video", file: { mimeType: "video/mp4" } }],
    ["voice-older", { type: "media", media: "audio", file: { mimeType: "audio/ogg" } }],
    ["group-call", { type: "unsupported", what: "call", text: "https://max.ru/joincall/abc" }],
  ])("of %s", async (name, body) => {
    expect((await messageOf(name)).body).toMatchObject(body);
  });

  test.each([
    ["photo", { kind: "photo", url: "https://i.oneme.ru/i?r=abc", id: "9001" }],
    ["voice", { kind: "audio", url: "https://a.oneme.ru/voice/1", id: "8001" }],
    ["file", { kind: "file", id: "55" }],
    ["moving-photo", { kind: "animation", url: "https://v.oneme.ru/m?r=1", id: "9102" }],
    ["voice-older", { kind: "audio", id: "8102" }],
  ])("of %s contain the location of their file", async (name, expected) => {
    const { body, externalId } = await messageOf(name);
    const token = body.type === "media" ? parseFileToken(body.file.token) : null;
    expect(token).toEqual({ ...expected, chatId: DIALOG, messageId: externalId });
  });

  test.each([
    [
      [{ _type: "CONTACT", name: "Bo", phone: "+7 (900) 11" }],
      undefined,
      {
        type: "vcard",
        vcard: "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bo\r\nTEL;TYPE=CELL:+790011\r\nEND:VCARD\r\n",
      },
    ],
    [[{ _type: "CONTACT", contactId: 5 }], undefined, { type: "unsupported", what: "contact" }],
    [[{ _type: "LOCATION", lat: 1, lon: 2 }], undefined, { type: "geo", latitude: 1, longitude: 2 }],
    [[{ _type: "LOCATION", title: "Cafe" }], undefined, { type: "text", text: "Cafe" }],
    [
      [{ _type: "FILE", url: "https://f.oneme.ru/1", name: "a.txt" }],
      undefined,
      { type: "media", media: "document", file: { name: "a.txt" } },
    ],
    [[{ _type: "STICKER", mp4Url: "https://s.oneme.ru/1" }], undefined, { type: "media", media: "video" }],
    [
      [{ _type: "AUDIO", audioId: 5, transcription: "call me" }],
      "Listen",
      { type: "media", media: "audio", text: "Listen\ncall me" },
    ],
    [
      [{ _type: "SHARE", title: "A", description: "B", url: "https://a.example/" }],
      undefined,
      { type: "text", text: "A\nB\nhttps://a.example/" },
    ],
    [
      [{ _type: "PRESENT", presentId: 5, title: "Flowers" }],
      undefined,
      { type: "unsupported", what: "present", text: "Flowers" },
    ],
    [[{ _type: "CALL", duration: 0, hangupType: "BUSY" }], undefined, { type: "missing_call" }],
    [[{ _type: "STORY" }], undefined, { type: "unsupported", what: "story" }],
    [[{ _type: "PHOTO" }], undefined, { type: "unsupported", what: "image" }],
    [[{ _type: "FILE" }], undefined, { type: "unsupported", what: "document" }],
    [[{ _type: "INLINE_KEYBOARD" }], "Choose", { type: "text", text: "Choose" }],
    [[{ _type: "CONTACT", vcfBody: "BEGIN:VCARD" }], undefined, { type: "vcard", vcard: "BEGIN:VCARD" }],
  ])("of %j", async (attaches, text, body) => {
    const { opcode, payload } = sample("text") as { opcode: number; payload: { message: object } };
    const changed = { ...payload, message: { ...payload.message, attaches, text } };
    expect(await receive().take({ opcode, payload: changed })).toMatchObject([{ message: { body } }]);
  });
});

test.each<[string, object]>([
  ["a message", {}],
  ["an edit", { status: "EDITED", updateTime: 1_790_000_099_000 }],
  ["an edit of a keyboard", { status: "EDITED", attaches: [{ _type: "INLINE_KEYBOARD" }] }],
  ["an answered call", { attaches: [{ _type: "CALL", duration: 60_000, hangupType: "HUNGUP" }] }],
  ["an own call without an answer", { attaches: [{ _type: "CALL", duration: 0 }], sender: ME }],
  ["a chat that a bot was started in", { attaches: [{ _type: "CONTROL", event: "botStarted" }] }],
])("%s without content makes no event", async (_, fields) => {
  expect(await receive().take(pushOf({ text: "", attaches: [], ...fields }))).toEqual([]);
});

test("words of MAX itself are a notice", async () => {
  const notice = { body: { type: "text", text: "Ann is in MAX now. Say hello!" }, isSystem: true };
  expect(await messageOf("joined")).toMatchObject(notice);
  expect(await receive().take(pushOf({ type: "SYSTEM", text: "Be careful" }))).toMatchObject([
    { message: { body: { text: "Be careful" }, isSystem: true } },
  ]);
});

test("forwarded messages are quoted at every depth, with their files", async () => {
  const found = await told("forward-nested");
  expect(found.map((event) => event.kind === "message" && event.message.body)).toMatchObject([
    { media: "image", text: "Is it still on?\n> Their offer:\n> 20 chairs\n> > Oak only" },
    { media: "document", file: { name: "chairs.pdf" } },
    { type: "geo", latitude: 59.94 },
  ]);
});

test("an edit is reported for each file of an album, with files that it added", async () => {
  const [first, second] = ["115000000000000111", "115000000000000111#2"];
  expect(await told("edited-album")).toMatchObject([
    { kind: "message", message: { externalId: second } },
    { kind: "edited", ref: { externalId: first }, body: { media: "image", text: "Both, newer" } },
    { kind: "edited", ref: { externalId: second }, body: { media: "image", text: "" } },
  ]);
  const { marker, take } = receive();
  await marker.beginAt(1_790_000_150_000);
  const kinds = (await take(sample("edited-album"))).map(({ kind }) => kind);
  expect(kinds, "from before the account was linked").toEqual(["edited", "edited"]);
});

describe("what the connector does not know is reported", () => {
  test.each<[string, Push, string[]]>([
    ["a push", { opcode: 140, payload: { chatId: 5 } } as Push, ["push.140"]],
    ["a type of attachment", sample("story"), ["attach.STORY"]],
    [
      "a type of attachment inside",
      pushOf({ link: { type: "FORWARD", message: { attaches: [{ _type: "APP", name: "Quiz" }] } } }),
      ["attach.APP"],
    ],
    ["a field", pushOf({ ttl: 5_000 }), ["message.ttl"]],
    ["a type", pushOf({ type: "SECRET" }), ["type.SECRET"]],
    ["a status", pushOf({ status: "DELAYED" }), ["status.DELAYED"]],
    ["a link", pushOf({ link: { type: "STORY", message: { text: "a" } } }), ["link.STORY"]],
    ["a control", pushOf({ attaches: [{ _type: "CONTROL", event: "boost" }] }), ["control.boost"]],
    ["an empty message", pushOf({ text: "" }), ["message.empty"]],
    ["nothing of calls", sample("call-answered"), []],
    ["nothing of texts", sample("text"), []],
  ])("%s", async (_, push, kinds) => {
    const { link, receiver } = receive();
    await receiver.take(push);
    expect(link.unknown.map(({ kind }) => kind)).toEqual(kinds);
  });

  test("typing and presence are ignored, reactions are not", () => {
    expect([129, 132, 155].map((opcode) => isHandled({ opcode, payload: {} } as Push))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

test("a picture that a person adds is reported with their next message", async () => {
  const { take, people } = receive();
  people.learnContact({ id: ANN, names: [{ name: "Ann" }] });
  expect((await take(sample("text")))[0]).not.toHaveProperty("message.contact.avatar");
  const contact = { id: Number(ANN), names: [{ name: "Ann" }], baseUrl: "https://i.oneme.ru/i?r=new" };
  expect(await take({ opcode: 131, payload: { contact } } as unknown as Push)).toEqual([]);
  expect(await take(sample("text"))).toMatchObject([
    { message: { contact: { avatar: { token: expect.stringContaining("r=new") } } } },
  ]);
});

test("an album becomes one message per file", async () => {
  const events = await told("album");
  expect(events).toMatchObject([
    { message: { externalId: "115000000000000003", body: { media: "image" } } },
    { message: { externalId: "115000000000000003#2", body: { media: "video" } } },
  ]);
});

test("a reply quotes the original message", async () => {
  expect((await messageOf("reply")).quoted).toEqual({
    externalId: "115000000000000001",
    body: { type: "text", text: "Which?" },
    authorName: "Shop",
  });
});

describe("the account's own messages", () => {
  test("written on the phone are echoes", async () => {
    expect(await messageOf("echo")).toMatchObject({ direction: "echo", contact: { name: "Ann" } });
  });

  test("sent by this channel are receipts, also in another process", async () => {
    const { link, sent, take } = receive();
    const cid = await sent.cidOf("m-1");
    const push = (own: number): Push => {
      const { opcode, payload } = sample("echo") as { opcode: number; payload: { message: object } };
      return { opcode, payload: { ...payload, message: { ...payload.message, cid: own } } };
    };
    const expected = [
      { kind: "receipt", status: "sent", ref: { externalId: "115000000000000015", messageId: "m-1" } },
    ];
    expect(await take(push(cid))).toMatchObject(expected);
    const later = receiverFor(link);
    link.events.length = 0;
    await later.receiver.take(push(cid));
    expect(link.events).toMatchObject(expected);
  });
});

describe("edits and deletions", () => {
  test("edit of a text", async () => {
    expect(await told("edited")).toEqual([
      {
        kind: "edited",
        ref: { ...IN_DIALOG, externalId: "115000000000000016" },
        body: { type: "text", text: "Two" },
        at: new Date(1_790_000_099_000),
      },
    ]);
  });

  test("edit of a text that was missed emits both", async () => {
    const { marker, take } = receive();
    await marker.advance(1_790_000_010_000, { now: true });
    expect((await take(sample("edited"))).map(({ kind }) => kind)).toEqual(["message", "edited"]);
  });

  test("edit of a text from before the link emits the edit only", async () => {
    const { marker, take } = receive();
    await marker.beginAt(1_790_000_016_000);
    await marker.advance(1_790_000_016_000, { now: true });
    expect((await take(sample("edited"))).map(({ kind }) => kind)).toEqual(["edited"]);
  });

  test("edits by this channel are ignored", async () => {
    const [mine, other] = [receive(), receive()];
    mine.sent.noteEdit("115000000000000016", "Two");
    other.sent.noteEdit("115000000000000016", "Three");
    expect(await mine.take(sample("edited"))).toEqual([]);
    expect(await other.take(sample("edited"))).toHaveLength(1);
  });

  test.each([
    ["removed-status", ["115000000000000017"]],
    ["removed", ["115000000000000001", "115000000000000002"]],
  ])("%s: every part is deleted", async (name, ids) => {
    const gone = (await told(name)).flatMap((event) =>
      event.kind === "deleted" ? [event.ref.externalId] : [],
    );
    expect(gone).toEqual(
      ids.flatMap((id) => [id, ...Array.from({ length: 9 }, (_, index) => `${id}#${index + 2}`)]),
    );
  });
});

describe("read receipts", () => {
  test("by the other person", async () => {
    expect(await told("read")).toMatchObject([
      { kind: "readUpTo", ...IN_DIALOG, upTo: { sentAt: new Date(1_790_000_050_000) } },
    ]);
  });

  test("by the account's owner on the phone are ignored", async () => {
    const { opcode, payload } = sample("read") as { opcode: number; payload: object };
    expect(await receive().take({ opcode, payload: { ...payload, userId: Number(ME) } })).toEqual([]);
  });
});

describe("groups", () => {
  const about = { at: expect.any(Date), by: ann };
  test.each<[string, object[]]>([
    ["group-text", [{ message: { ...IN_GROUP, contact: { name: "Friends" }, sender: ann } }]],
    [
      "group-created",
      [
        {
          ...{ kind: "members", title: "Friends", ...about },
          members: [
            { change: "added", person: { id: ME, name: "Shop" } },
            { change: "added", person: ann },
          ],
        },
      ],
    ],
    ["group-title", [{ kind: "group", title: "Crew", ...about }]],
    ["group-picture", [{ kind: "group", picture: { token: expect.stringContaining("r=icon") }, ...about }]],
    ["group-removed", [{ kind: "members", members: [{ change: "removed", person: { name: "300" } }] }]],
    ["group-left", [{ kind: "members", members: [{ change: "left", person: ann }] }]],
    ["group-changed", [{ kind: "group", title: "Crew", isSeen: true }]],
  ])("%s", async (name, expected) => {
    expect(await told(name)).toMatchObject(expected);
  });

  test("group members are identified by their dialog, which can be written to", async () => {
    const { sender } = await messageOf("group-text");
    expect(String(BigInt(sender?.id ?? 0) ^ BigInt(ME))).toBe(ANN);
  });
});

describe("reactions", () => {
  const MESSAGE = "115000000000000001";
  /** What MAX answers by opcode; the pushes have counts only. */
  function reacted(answers: Readonly<Record<number, object | Error>>) {
    const asked: unknown[] = [];
    const link = linkTo(NOWHERE);
    onTestFinished(() => {
      link.abort();
      return link.dispose();
    });
    const { receiver } = receiverFor(link, async (opcode, payload) => {
      asked.push([opcode, payload]);
      const answer = answers[opcode] ?? {};
      if (answer instanceof Error) throw answer;
      return answer as Readonly<Record<string, unknown>>;
    });
    return {
      asked,
      take: async (opcode: number, chatId: string) => {
        await receiver.take({
          opcode,
          payload: { chatId: Number(chatId), messageId: MESSAGE, totalCount: 1 },
        });
        return link.events.splice(0);
      },
    };
  }
  const counts = (yourReaction: unknown, ...counters: (readonly [unknown, number])[]) => ({
    180: {
      messagesReactions: {
        [MESSAGE]: {
          counters: counters.map(([reaction, count]) => ({ reaction, count })),
          ...(yourReaction !== undefined && { yourReaction }),
        },
      },
    },
  });

  test.each<[string, ReturnType<typeof counts>, (string | null)[]]>([
    ["theirs", counts(undefined, ["👍", 1]), ["👍", null]],
    ["ours", counts("🔥", ["🔥", 1]), [null, "🔥"]],
    ["both, different ones", counts("🔥", ["🔥", 1], ["👍", 1]), ["👍", "🔥"]],
    ["both, the same", counts("🔥", ["🔥", 2]), ["🔥", "🔥"]],
    ["as objects", counts({ id: "🔥" }, [{ id: "🔥" }, 2]), ["🔥", "🔥"]],
    ["none", counts(undefined), [null, null]],
  ])("in a dialog: %s", async (_, answers, [theirs, ours]) => {
    const { take, asked } = reacted(answers);
    const about = { kind: "reaction", ref: { ...IN_DIALOG, externalId: MESSAGE }, at: expect.any(Date) };
    expect(await take(155, DIALOG)).toEqual([
      { ...about, emoji: theirs, by: ann },
      { ...about, emoji: ours },
    ]);
    expect(asked).toEqual([[180, { chatId: BigInt(DIALOG), messageIds: [BigInt(MESSAGE)] }]]);
  });

  test("in a group, who reacted is told, and our own removal", async () => {
    const { take } = reacted({ 181: { reactions: [{ userId: Number(ANN), reaction: "👍" }] } });
    expect(await take(155, GROUP)).toMatchObject([{ emoji: "👍", by: ann, ref: IN_GROUP }]);
    const own = await take(156, GROUP);
    expect(own).toMatchObject([{ emoji: "👍", by: ann }, { emoji: null }]);
    expect(own[1]).not.toHaveProperty("by");
  });

  test("a refusal is not repeated at once", async () => {
    const { take, asked } = reacted({ 180: new Error("too many") });
    expect([await take(155, DIALOG), await take(155, DIALOG)]).toEqual([[], []]);
    expect(asked).toHaveLength(1);
  });
});

describe("ignored pushes", () => {
  test.each<[string, Push]>([
    ["typing", { opcode: 129, payload: { chatId: 1, userId: 2 } }],
    ["presence", { opcode: 132, payload: { presence: {}, userId: 2 } }],
    ["an unknown opcode", { opcode: 999, payload: null }],
  ])("emits nothing: %s", async (_, push) => {
    const { link, take } = receive();
    expect([await take(push), link.deadLetters]).toEqual([[], []]);
  });

  test("a message of a channel", async () => {
    const { people, take } = receive();
    people.learnChat({ id: GROUP, type: "CHANNEL", title: "News" });
    expect(await take(sample("group-text"))).toEqual([]);
  });

  test("an unreadable push becomes a dead letter that can be parsed again", async () => {
    const { link, receiver } = receive();
    await receiver.take({ opcode: 128, payload: { message: {} } });
    await receiver.take({ opcode: 128, payload: undefined, raw: "AAEC" });
    expect(link.deadLetters).toMatchObject([
      { payload: { opcode: 128 }, reason: "chat id is missing" },
      { payload: { opcode: 128, raw: "AAEC" }, reason: "the payload cannot be read" },
    ]);
    await expect(receiver.reprocess(link.deadLetters[0]?.payload)).rejects.toThrow("chat id");
    await expect(receiver.reprocess(link.deadLetters[1]?.payload)).rejects.toThrow();
    await receiver.reprocess(sample("text"));
    expect(link.events).toHaveLength(1);
  });
});

test("retries until core has stored the event", async () => {
  const { link, take } = receive();
  let tries = 0;
  link.onEmit(async () => {
    if (++tries < 2) throw new Error("the store is unavailable");
  });
  expect(await take(sample("text"))).toHaveLength(1);
  expect(tries).toBe(2);
});
