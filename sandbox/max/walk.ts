import { readQr } from "../qr-reader.ts";
import { Crm } from "../walk/crm.ts";
import { groupSteps } from "../walk/groups.ts";
import type { Stage } from "../walk/stage.ts";
import type { Step, Walk } from "../walk/step.ts";
import {
  deleteStep,
  errorStep,
  type Kind,
  moveStep,
  receiveStep,
  receiveSteps,
  sendStep,
  sendSteps,
} from "../walk/steps.ts";
import type { Told } from "../walk/webhooks.ts";
import { opcode } from "./opcode.ts";

const SHOP = "79990000001";
const ANN = "79990000002";
const OTHER_PHONE = "79990000003";
const STRANGER = "79990000009";
const IDS: Readonly<Record<string, number>> = { [SHOP]: 100_200_300, [ANN]: 100_200_399 };
/** Both ids, exclusive-or. */
const DIALOG = "163";
const PASSWORD = "correct horse";
const HINT = "and a battery";
/** Nodes that died have to be missed first, and lines are opened anew after a pause. */
const LONG_MS = 90_000;
const MISSED = 5_000;

/** A person's MAX account, linked beside the phone as the web client is. */
const walk: Walk = {
  settings: ({ settings }) => settings as Record<string, string>,
  steps(stage) {
    const crm = new Crm(stage, { chat_type: "max", chat_id: DIALOG });
    return [
      ...connecting(stage, crm),
      ...receiving(stage, crm),
      ...sending(stage, crm),
      ...changing(stage, crm),
      ...inGroup(stage, crm),
      ...failing(stage, crm),
      ...trouble(stage, crm),
      ...ending(stage, crm),
    ];
  },
};
export default walk;

const person = (stage: Stage, phone: string, action: string, body: object = {}): Promise<unknown> =>
  stage.admin("POST", `/people/${phone}/${action}`, body);
const annWrites = (stage: Stage, message: object): Promise<unknown> =>
  person(stage, ANN, "messages", { to: SHOP, ...message });

/** The text in the code that the next webhook brings. */
async function nextCode(stage: Stage, { channelId }: Crm): Promise<string> {
  const { item } = await stage.told(
    "a QR code",
    ({ kind, item }) => kind === "channel.qr_update" && item["channel_id"] === channelId,
  );
  return readQr(String(item["qr_code"]));
}

async function scan(stage: Stage, crm: Crm, phone: string): Promise<void> {
  await person(stage, phone, "scans", { qr: await nextCode(stage, crm) });
}

async function reinit(stage: Stage, crm: Crm): Promise<void> {
  crm.forgetStatus();
  const { status, json } = await stage.api("POST", `/v2/channels/${crm.channelId}/reinit`, {
    credentials: {},
  });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
}

async function linkAgain(stage: Stage, crm: Crm): Promise<string> {
  await reinit(stage, crm);
  await scan(stage, crm, SHOP);
  return crm.status("active", null);
}

/** What the service answers to a password. */
async function givePassword(stage: Stage, crm: Crm, secret: string): Promise<string> {
  const body = { transport: "max", two_factor_code: secret };
  const { status, json } = await stage.api("POST", `/v2/channels/${crm.channelId}/auth/2fa`, body);
  const { error, description } = json as { error?: string; description?: string };
  return error === undefined ? String(status) : `${status} ${error}: ${description}`;
}

function connecting(stage: Stage, crm: Crm): Step[] {
  return [
    {
      name: "create people with phones",
      run: async () => {
        const people = { [SHOP]: "Shop", [ANN]: "Ann", [OTHER_PHONE]: "Somebody else" };
        for (const [phone, name] of Object.entries(people))
          await stage.admin("POST", "/people", { phone, name, user_id: IDS[phone] });
        await stage.admin("POST", "/settings", { qr_polling_ms: 300 });
        await person(stage, SHOP, "passwords", { password: PASSWORD, hint: HINT });
        return `the owner has ${SHOP}, and a password`;
      },
    },
    {
      name: "create the channel",
      run: async () => {
        await crm.createChannel("max", {});
        return crm.status("init", "qr");
      },
    },
    {
      name: "the QR code ends, and another one comes",
      run: async () => {
        await stage.admin("POST", "/expiries", { qr: await nextCode(stage, crm) });
        const next = await nextCode(stage, crm);
        await person(stage, SHOP, "scans", { qr: next });
        return "the phone scans that one";
      },
    },
    {
      name: "the password is asked for, with its hint",
      run: async () => {
        const { item } = await stage.told(
          "a password is awaited",
          ({ kind, item }) =>
            kind === "channel.status_update" &&
            item["channel_id"] === crm.channelId &&
            item["reason"] === "wait_for_password",
        );
        if (item["password_hint"] !== HINT) throw new Error(JSON.stringify(item));
        return HINT;
      },
    },
    {
      name: "a wrong password",
      run: async () => {
        const answer = await givePassword(stage, crm, "guess");
        if (!answer.startsWith("400 WRONG_PASSWORD") || !answer.includes(HINT)) throw new Error(answer);
        return answer;
      },
    },
    {
      name: "the right one",
      run: async () => {
        const answer = await givePassword(stage, crm, PASSWORD);
        if (answer !== "200") throw new Error(answer);
        await person(stage, SHOP, "passwords", {});
        return crm.status("active", null);
      },
    },
  ];
}

function receiving(stage: Stage, crm: Crm): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["an image", { kind: "photo" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["a round video", { kind: "video_note" }, "video"],
    ["a voice note", { kind: "voice" }, "audio"],
    ["a document", { kind: "file" }, "document"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["a contact", { kind: "contact", name: "Bob", phone: "79001112233" }, "vcard"],
    ["a place", { kind: "location" }, "geo"],
    ["a poll", { kind: "poll", question: "Lunch?" }, "text"],
    ["a link", { kind: "share" }, "text"],
    ["a missed call", { kind: "call" }, "missing_call"],
    ["what is not known", { kind: "raw", type: "STORY", fields: {} }, "unsupported"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => annWrites(stage, message)),
    {
      name: "receive an album",
      run: async () => {
        await annWrites(stage, { kind: "album", text: "Both" });
        await crm.hears({ type: "image", text: "Both" });
        await crm.hears({ type: "image", isEcho: false });
        return "two images";
      },
    },
    receiveStep(crm, "an echo of the phone", {
      act: () => person(stage, SHOP, "messages", { to: ANN, text: "From the phone" }),
      fields: { text: "From the phone", isEcho: true },
    }),
  ];
}

function sending(stage: Stage, crm: Crm): Step[] {
  return [
    ...sendSteps(stage, crm, "sent"),
    sendStep(
      crm,
      "a voice note",
      () => ({ attachment: { url: stage.fileUrl("audio/ogg"), mimetype: "audio/ogg" } }),
      "sent",
    ),
    {
      name: "send bold words",
      run: async () => {
        await crm.become(await crm.send({ text: "It is *ten* now" }), "sent");
        const shown = (await conversation(stage)).find(({ text }) => text === "It is ten now");
        const [mark] = shown?.elements ?? [];
        if (mark?.type !== "STRONG") throw new Error(JSON.stringify(shown));
        return `${mark.type} from ${mark.from}`;
      },
    },
    {
      name: "send by phone",
      run: async () =>
        crm.become(await crm.send({ text: "Hello" }, { chat_type: "max", phone: ANN }), "sent"),
    },
    {
      name: "send a quote, and be read",
      run: async () => {
        await annWrites(stage, { text: "What does it cost?" });
        const { messageId } = await crm.hears({ text: "What does it cost?" });
        const id = await crm.send({ text: "Ten", quoted_message_id: messageId });
        await crm.become(id, "sent");
        await person(stage, ANN, "reads", { chat: SHOP });
        return crm.become(id, "read");
      },
    },
    {
      name: "what the customer wrote is marked as read",
      run: async () => {
        const { items } = await stage.admin<{ items: Shown[] }>(
          "GET",
          `/people/${ANN}/chats/${SHOP}/messages`,
        );
        const question = items.find(({ text }) => text === "What does it cost?");
        if (question?.read_by.includes(SHOP) !== true) throw new Error(JSON.stringify(question));
        return "read";
      },
    },
  ];
}

interface Shown {
  readonly text: string;
  readonly read_by: readonly string[];
  readonly elements: readonly { readonly type: string; readonly from: number }[];
}

const conversation = async (stage: Stage): Promise<readonly Shown[]> =>
  (await stage.admin<{ items: Shown[] }>("GET", `/people/${ANN}/chats/${SHOP}/messages`)).items;

async function seenByAnn(stage: Stage, text: string): Promise<string> {
  await stage.until(`the phone shows ${text}`, async () =>
    (await conversation(stage)).some((message) => message.text === text),
  );
  return "seen on the phone";
}

function changing(stage: Stage, crm: Crm): Step[] {
  const ours = { id: "" };
  const theirs = { message_id: "" };
  return [
    {
      name: "edit a message",
      run: async () => {
        ours.id = await crm.send({ text: "Monday" });
        await crm.become(ours.id, "sent");
        await crm.change("PATCH", ours.id, { text: "Tuesday" });
        await crm.hears({ messageId: ours.id, isEdited: true, text: "Tuesday" });
        return seenByAnn(stage, "Tuesday");
      },
    },
    {
      name: "delete a message",
      run: async () => {
        const status = await crm.change("DELETE", ours.id);
        await crm.hears({ messageId: ours.id, isDeleted: true });
        return status;
      },
    },
    {
      name: "the customer edits",
      run: async () => {
        Object.assign(theirs, await annWrites(stage, { text: "Tow" }));
        await crm.hears({ text: "Tow" });
        await person(stage, ANN, "edits", { message_id: theirs.message_id, text: "Two" });
        const { oldInfo } = await crm.hears({ text: "Two", isEdited: true });
        return `was ${(oldInfo as { oldText?: string }).oldText}`;
      },
    },
    {
      name: "the customer deletes",
      run: async () => {
        await person(stage, ANN, "deletions", { message_id: theirs.message_id });
        await crm.hears({ isDeleted: true });
        return "told";
      },
    },
  ];
}

function inGroup(stage: Stage, crm: Crm): Step[] {
  const group = { id: "" };
  const change = (action: string, body: object) => (): Promise<unknown> =>
    stage.admin("POST", `/groups/${group.id}/changes`, { action, ...body });
  const update = "group_chat.update";
  const members = "group_chat.memberships_update";
  return [
    ...groupSteps(crm, [
      {
        name: "made with the account in it",
        act: async () => {
          const made = { title: "Team", participants: [ANN, SHOP] };
          Object.assign(group, await stage.admin("POST", "/groups", made));
        },
        event: members,
        fields: { action: "added", name: "Team", chat_type: "maxgroup" },
      },
      {
        name: "another name",
        act: change("title", { value: "Crew" }),
        event: update,
        fields: { name: "Crew", old_name: "Team" },
      },
      {
        name: "somebody is added",
        act: change("add", { participants: [OTHER_PHONE] }),
        event: members,
        fields: { action: "added" },
      },
      {
        name: "somebody leaves",
        act: change("leave", { by: OTHER_PHONE }),
        event: members,
        fields: { action: "left" },
      },
    ]),
    receiveStep(crm, "a message of a group", {
      act: () => person(stage, ANN, "messages", { to: group.id, text: "Hello all" }),
      fields: { text: "Hello all", chatType: "maxgroup" },
    }),
    {
      name: "send to the group",
      run: async () => {
        const to = { chat_type: "maxgroup", chat_id: group.id };
        return crm.become(await crm.send({ text: "Hello" }, to), "sent");
      },
    },
  ];
}

function failing(stage: Stage, crm: Crm): Step[] {
  const fault =
    (error: string, message = error) =>
    () =>
      stage.admin("POST", "/faults", { opcode: opcode.msgSend, error, message });
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  return [
    errorStep(crm, "BAD_CONTACT", {
      send: () => crm.send({ text: "Hello" }, { chat_type: "max", phone: "70000000001" }),
    }),
    errorStep(crm, "TOO_LONG_TEXT", { send: () => crm.send({ text: "x".repeat(4_001) }) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", {
      arrange: fault("errors.process.attachment.video"),
      send: () => crm.send({ attachment: { url: stage.fileUrl("video/mp4"), mimetype: "video/mp4" } }),
    }),
    errorStep(crm, "CANNOT_REPLY_TO_DELETED", {
      arrange: fault("not.found", "linked message not found"),
      send: hello,
    }),
    errorStep(crm, "MESSAGE_DELETED", { arrange: fault("message.not.found"), send: hello }),
    errorStep(crm, "GENERAL_ERROR", { arrange: fault("proto.payload"), send: hello }),
    errorStep(crm, "SPAM", {
      arrange: async () => {
        await stage.admin("POST", "/people", { phone: STRANGER, name: "Stranger" });
        await person(stage, SHOP, "restrictions", { seconds: 3_600 });
      },
      send: () => crm.send({ text: "Hello" }, { chat_type: "max", phone: STRANGER }),
    }),
  ];
}

function trouble(stage: Stage, crm: Crm): Step[] {
  return [
    {
      name: "the line drops in the middle of a send",
      run: async () => {
        const before = (await conversation(stage)).length;
        await stage.admin("POST", "/faults", { opcode: opcode.msgSend, drop: "after" });
        const id = await crm.send({ text: "Over a broken line" });
        await crm.become(id, "sent", { patienceMs: LONG_MS });
        return arrivedOnce(stage, "Over a broken line", before);
      },
    },
    {
      name: "the node is killed in the middle of a send",
      run: async () => {
        const before = (await conversation(stage)).length;
        await stage.admin("POST", "/faults", { opcode: opcode.msgSend, silent: "after" });
        const id = await crm.send({ text: "Over a crash" });
        await seenByAnn(stage, "Over a crash");
        await stage.service.kill();
        await annWrites(stage, { text: "While you were away" });
        stage.service = await stage.startNode();
        await crm.become(id, "sent", { patienceMs: LONG_MS });
        await crm.hears({ text: "While you were away" });
        return arrivedOnce(stage, "Over a crash", before);
      },
    },
    {
      name: "the line falls silent without an end",
      run: async () => {
        await person(stage, SHOP, "sessions/any/freezes");
        await annWrites(stage, { text: "Are you there?" });
        await stage.told(
          "what came meanwhile",
          ({ kind, item }) => kind === "messages" && item["text"] === "Are you there?",
          LONG_MS,
        );
        return "noticed, and caught up";
      },
    },
    moveStep(stage, crm, "sent", LONG_MS),
    {
      name: `an hour offline with ${MISSED} messages`,
      run: async () => {
        const next = stage.service;
        await next.stop();
        await stage.admin("POST", "/load", { from: ANN, to: SHOP, count: MISSED, text: "Missed" });
        await stage.admin("POST", "/time", { advance_seconds: 3_600 });
        stage.service = await stage.startNode();
        return hearsInOrder(stage, MISSED);
      },
    },
  ];
}

/** All that was missed, each once, as it was written. */
async function hearsInOrder(stage: Stage, count: number): Promise<string> {
  const isMissed = ({ kind, item }: Told): boolean =>
    kind === "messages" && String(item["text"]).startsWith("Missed ");
  for (let number = 1; number <= count; number++) {
    const { item } = await stage.told(`missed message ${number}`, isMissed, LONG_MS);
    if (item["text"] !== `Missed ${number}`) throw new Error(`${item["text"]} came as number ${number}`);
  }
  if (stage.wasTold(isMissed)) throw new Error("something was told twice");
  return "all of them, in order, once";
}

async function arrivedOnce(stage: Stage, text: string, before: number): Promise<string> {
  const items = (await conversation(stage)).slice(before);
  const times = items.filter((message) => message.text === text).length;
  if (times !== 1) throw new Error(`it arrived ${times} times`);
  return "arrived once";
}

function ending(stage: Stage, crm: Crm): Step[] {
  const second = new Crm(stage, { chat_type: "max", chat_id: DIALOG });
  const last = { session: 0 };
  return [
    {
      name: "another channel links the same account",
      run: async () => {
        await second.createChannel("max", {});
        await scan(stage, second, SHOP);
        return second.status("disabled", "openelsewhere");
      },
    },
    {
      name: "unlinked on the phone",
      run: async () => {
        for (const { session } of await sessionsOf(stage, SHOP))
          await stage.admin("DELETE", `/people/${SHOP}/sessions/${session}`);
        return crm.status("disabled", "unauthorized");
      },
    },
    {
      name: "another account scans the new code",
      run: async () => {
        await reinit(stage, crm);
        await scan(stage, crm, OTHER_PHONE);
        return crm.status("disabled", "foreignphone");
      },
    },
    { name: "linked again", run: () => linkAgain(stage, crm) },
    {
      name: "a login elsewhere ends the session",
      run: async () => {
        await person(stage, SHOP, "logins", { ends_others: true });
        return crm.status("disabled", "unauthorized");
      },
    },
    { name: "linked once more", run: () => linkAgain(stage, crm) },
    {
      name: "MAX blocks the account",
      run: async () => {
        await person(stage, SHOP, "bans");
        return crm.status("disabled", "unauthorized");
      },
    },
    {
      name: "unblocked, and linked for good",
      run: async () => {
        await person(stage, SHOP, "unbans");
        const active = await linkAgain(stage, crm);
        last.session = (await sessionsOf(stage, SHOP)).at(-1)?.session ?? 0;
        return active;
      },
    },
    deleteStep(stage, crm, () =>
      stage.until("the session is ended in MAX", async () =>
        (await sessionsOf(stage, SHOP)).every(({ session }) => session !== last.session),
      ),
    ),
  ];
}

interface LinkedClient {
  readonly session: number;
}

const sessionsOf = async (stage: Stage, phone: string): Promise<readonly LinkedClient[]> =>
  (await stage.admin<{ items: LinkedClient[] }>("GET", `/people/${phone}/sessions`)).items;
