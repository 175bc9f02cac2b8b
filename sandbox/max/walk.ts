import type { Step, Walk } from "../walk/contract.ts";
import { Crm } from "../walk/crm.ts";
import { groupSteps } from "../walk/groups.ts";
import { ownGroupSteps } from "../walk/own-groups.ts";
import {
  ANN,
  annWrites,
  arrivedOnce,
  CHECKED,
  conversation,
  deletedStep,
  echoStep,
  foreignStep,
  HINT,
  killedStep,
  LONG_MS,
  linkAgain,
  MISSED,
  nextCode,
  OTHER_PHONE,
  offlineHourStep,
  PASSWORD,
  passwordSteps,
  person,
  SHOP,
  STRANGER,
  scan,
  seenByAnn,
  voiceContent,
} from "../walk/personal.ts";
import type { Stage } from "../walk/stage.ts";
import {
  deleteStep,
  errorStep,
  type Kind,
  moveStep,
  phoneCheckStep,
  receiveStep,
  receiveSteps,
  restrictedStep,
  sendStep,
  sendSteps,
} from "../walk/steps.ts";
import { changeSteps, editedStep, markSteps, quoteStep, reactionSteps } from "../walk/talk.ts";
import { opcode } from "./opcode.ts";

const IDS: Readonly<Record<string, number>> = { [SHOP]: 100_200_300, [ANN]: 100_200_399 };
/** Both ids, XORed. */
const DIALOG = "163";
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
      ...ownGroupSteps(stage, crm, {
        chatType: "maxgroup",
        first: { phone: ANN },
        second: { phone: OTHER_PHONE },
        can: ["picture", "add", "promote", "demote", "remove"],
      }),
      ...failing(stage, crm),
      ...trouble(stage, crm),
      ...ending(stage, crm),
    ];
  },
};
export default walk;

function connecting(stage: Stage, crm: Crm): Step[] {
  return [
    {
      name: "create people with phones",
      run: async () => {
        const people = { [SHOP]: "Shop", [ANN]: "Ann", [OTHER_PHONE]: "Somebody else" };
        for (const [phone, name] of Object.entries(people))
          await stage.admin("POST", "/people", { phone, name, user_id: IDS[phone] });
        await stage.admin("POST", "/settings", { qr_polling_ms: 300, novelty: 7 });
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
    ...passwordSteps(stage, crm, { transport: "max", remove: () => person(stage, SHOP, "passwords", {}) }),
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
    ["a poll", { kind: "poll", question: "Lunch?" }, "unsupported"],
    ["a link", { kind: "share" }, "text"],
    ["a missed call", { kind: "call" }, "missing_call"],
    ["what is not known", { kind: "raw", type: "STORY", fields: {} }, "unsupported"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => annWrites(stage, message)),
    ...markSteps(crm, ["read", "typing"]),
    {
      name: "receive an album",
      run: async () => {
        await annWrites(stage, { kind: "album", text: "Both" });
        await crm.hears({ type: "image", text: "Both" });
        await crm.hears({ type: "image", isEcho: false });
        return "two images";
      },
    },
    echoStep(stage, crm),
  ];
}

function sending(stage: Stage, crm: Crm): Step[] {
  return [
    ...sendSteps(stage, crm, "sent"),
    sendStep(crm, "a voice note", voiceContent(stage), "sent"),
    {
      name: "send bold words",
      run: async () => {
        await crm.become(await crm.send({ text: "It is *ten* now" }), "sent");
        const shown = (await conversation<ShownOfMax>(stage)).find(({ text }) => text === "It is ten now");
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
    quoteStep(crm, "sent", {
      write: (text) => annWrites(stage, { text }),
      read: () => person(stage, ANN, "reads", { chat: SHOP }),
    }),
    {
      name: "what the customer wrote is marked as read",
      run: async () => {
        const items = await conversation<ShownOfMax>(stage);
        const question = items.find(({ text }) => text === "What does it cost?");
        if (question?.read_by.includes(SHOP) !== true) throw new Error(JSON.stringify(question));
        return "read";
      },
    },
  ];
}

interface ShownOfMax {
  readonly text: string;
  readonly read_by: readonly string[];
  readonly elements: readonly { readonly type: string; readonly from: number }[];
}

function changing(stage: Stage, crm: Crm): Step[] {
  const theirs = { message_id: "" };
  return [
    ...changeSteps(crm, "sent", (text) => seenByAnn(stage, text)),
    editedStep(
      crm,
      async (text) => Object.assign(theirs, await annWrites(stage, { text })),
      ({ message_id }, text) => person(stage, ANN, "edits", { message_id, text }),
    ),
    ...reactionSteps(stage, crm, {
      write: (text) => annWrites<{ message_id: string }>(stage, { text }),
      react: ({ message_id }, emoji) => person(stage, ANN, "reactions", { message_id, emoji: emoji ?? "" }),
      seen: async ({ message_id }) => {
        const found = (await conversation<Reacted>(stage)).find((each) => each.message_id === message_id);
        return Object.keys(found?.reactions ?? {});
      },
    }),
    deletedStep(stage, crm, theirs),
  ];
}

interface Reacted {
  readonly text: string;
  readonly message_id: string;
  /** By phone number. */
  readonly reactions: Readonly<Record<string, string>>;
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
    phoneCheckStep(crm, CHECKED, () =>
      stage.admin("POST", "/people", { phone: CHECKED.present, name: "Checked" }),
    ),
    errorStep(crm, "SPAM", {
      arrange: async () => {
        await stage.admin("POST", "/people", { phone: STRANGER, name: "Stranger" });
        await person(stage, SHOP, "restrictions", { seconds: 3_600 });
      },
      send: () => crm.send({ text: "Hello" }, { chat_type: "max", phone: STRANGER }),
    }),
    restrictedStep(crm, "new_chats"),
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
    killedStep(stage, crm, {
      hang: () => stage.admin("POST", "/faults", { opcode: opcode.msgSend, silent: "after" }),
    }),
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
    offlineHourStep(stage, () =>
      stage.admin("POST", "/load", { from: ANN, to: SHOP, count: MISSED, text: "Missed" }),
    ),
  ];
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
    foreignStep(stage, crm, "another account scans the new code"),
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
