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
  giveSecret,
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
  reinit,
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
import {
  deleteMessageStep,
  editedStep,
  editMessageStep,
  markSteps,
  quoteStep,
  reactionSteps,
  waitedOutStep,
} from "../walk/talk.ts";

const IDS: Readonly<Record<string, number>> = {
  [SHOP]: 700_000_001,
  [ANN]: 446_543_212,
  [OTHER_PHONE]: 512_340_009,
  [STRANGER]: 512_340_010,
};
/**
 * A person's Telegram account, linked as another device. Its home is the fourth data centre; clients start in the
 * second.
 */
const walk: Walk = {
  settings: ({ settings }) => settings as Record<string, string>,
  steps(stage) {
    const crm = new Crm(stage, { chat_type: "telegram", chat_id: String(IDS[ANN]) });
    return [
      ...connecting(stage, crm),
      ...receiving(stage, crm),
      ...sending(stage, crm),
      ...changing(stage, crm),
      ...inGroup(stage, crm),
      ...ownGroupSteps(stage, crm, {
        chatType: "telegroup",
        first: { phone: ANN },
        second: { phone: OTHER_PHONE },
        pictureType: "image/png",
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
        const people = { [SHOP]: "Shop", [ANN]: "Ann", [OTHER_PHONE]: "Else", [STRANGER]: "Stranger" };
        for (const [phone, first_name] of Object.entries(people))
          await stage.admin("POST", "/people", { phone, first_name, id: IDS[phone], username: `p${phone}` });
        await stage.admin("POST", "/people", { phone: SHOP, home_dc: 4, password: PASSWORD, hint: HINT });
        await stage.admin("POST", "/settings", { token_seconds: 4, novelty: 7 });
        return `the owner has ${SHOP}, and a password`;
      },
    },
    {
      name: "create the channel",
      run: async () => {
        await crm.createChannel("tgapi", {});
        return crm.status("init", "qr");
      },
    },
    {
      name: "the QR code ends, and another one comes",
      run: async () => {
        const first = await nextCode(stage, crm);
        const second = await nextCode(stage, crm);
        if (first === second) throw new Error("it is the same");
        await stage.admin("POST", "/settings", { token_seconds: 30 });
        await scan(stage, crm, SHOP);
        return "the phone scans a later one";
      },
    },
    ...passwordSteps(stage, crm, {
      transport: "tgapi",
      remove: () => stage.admin("DELETE", `/people/${SHOP}/passwords`),
    }),
  ];
}

function receiving(stage: Stage, crm: Crm): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["an image", { kind: "photo" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["a round video", { kind: "video_note" }, "video"],
    ["a GIF", { kind: "gif" }, "video"],
    ["a voice note", { kind: "voice" }, "audio"],
    ["music", { kind: "audio" }, "audio"],
    ["a document of another data centre", { kind: "document", file_dc: 4 }, "document"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["a moving sticker", { kind: "animated_sticker" }, "document"],
    ["a contact", { kind: "contact", first_name: "Bob", phone_number: "79001112233" }, "vcard"],
    ["a place", { kind: "location" }, "geo"],
    ["a venue", { kind: "venue" }, "geo"],
    ["a poll", { kind: "poll", question: "Lunch?" }, "text"],
    ["a story", { kind: "story" }, "unsupported"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => annWrites(stage, message)),
    ...markSteps(crm, ["read", "typing"]),
    {
      name: "receive an album",
      run: async () => {
        await person(stage, ANN, "albums", { to: SHOP });
        await crm.hears({ type: "image", isEcho: false });
        await crm.hears({ type: "image", isEcho: false });
        return "two images";
      },
    },
    receiveStep(crm, "a missed call", {
      act: () => person(stage, ANN, "calls", { to: SHOP }),
      fields: { type: "missing_call" },
    }),
    echoStep(stage, crm),
  ];
}

function sending(stage: Stage, crm: Crm): Step[] {
  const first = { chat_type: "telegram" };
  return [
    ...sendSteps(stage, crm, "sent"),
    sendStep(crm, "a voice note", voiceContent(stage), "sent"),
    {
      name: "send to a username and to a number",
      run: async () => {
        const name = { ...first, username: `p${STRANGER}` };
        await crm.become(await crm.send({ text: "By name" }, name), "sent");
        await crm.become(await crm.send({ text: "By number" }, { ...first, phone: OTHER_PHONE }), "sent");
        return "both arrived";
      },
    },
    quoteStep(crm, "sent", {
      write: (text) => annWrites(stage, { text }),
      read: () => person(stage, ANN, "reads", { chat: SHOP }),
    }),
  ];
}

function changing(stage: Stage, crm: Crm): Step[] {
  const ours = { id: "" };
  const theirs = { message_id: 0 };
  return [
    editMessageStep(crm, ours, { until: "sent", see: (text) => seenByAnn(stage, text) }),
    deleteMessageStep(crm, ours, () => goneAtAnn(stage)),
    editedStep(
      crm,
      async (text) => Object.assign(theirs, await annWrites(stage, { text })),
      ({ message_id }, text) => person(stage, ANN, "edits", { chat: SHOP, message_id, text }),
    ),
    ...reactionSteps(stage, crm, {
      write: (text) => annWrites<{ message_id: number }>(stage, { text }),
      react: ({ message_id }, emoji) =>
        person(stage, ANN, "reactions", { chat: SHOP, message_id, ...(emoji !== null && { emoji }) }),
      seen: async ({ message_id }) =>
        (await conversation<Reacted>(stage)).find((each) => each.message_id === message_id)?.reactions ?? [],
    }),
    deletedStep(stage, crm, theirs),
  ];
}

interface Reacted {
  readonly text: string;
  readonly message_id: number;
  readonly reactions: readonly object[];
}

/** The message was deleted for both sides. */
async function goneAtAnn(stage: Stage): Promise<void> {
  if ((await conversation(stage)).some(({ text }) => text === "Tuesday"))
    throw new Error("Ann still sees it");
}

function inGroup(stage: Stage, crm: Crm): Step[] {
  const group = { id: 0 };
  const change = (action: string, body: object) => (): Promise<unknown> =>
    stage.admin("POST", `/groups/${group.id}/${action}`, body);
  const update = "group_chat.update";
  const members = "group_chat.memberships_update";
  return [
    ...groupSteps(crm, [
      {
        name: "made with the account in it",
        act: async () => {
          const made = { title: "Friends", participants: [ANN, SHOP], creator: ANN };
          Object.assign(group, await stage.admin("POST", "/groups", made));
        },
        event: members,
        fields: { name: "Friends", action: "added", chat_type: "telegroup" },
      },
      {
        name: "another name",
        act: change("titles", { title: "Crew" }),
        event: update,
        fields: { name: "Crew", old_name: "Friends" },
      },
      { name: "a picture", act: change("photos", {}), event: update, fields: { old_name: null } },
      {
        name: "somebody is added",
        act: change("users", { phone: OTHER_PHONE, by: ANN }),
        event: members,
        fields: { action: "added" },
      },
      {
        name: "leaves",
        act: change("removals", { phone: OTHER_PHONE }),
        event: members,
        fields: { action: "left" },
      },
    ]),
    {
      name: "a message of a group, and an answer",
      run: async () => {
        await person(stage, ANN, "messages", { to: String(group.id), text: "Hello all" });
        const { chatId } = await crm.hears({ text: "Hello all", chatType: "telegroup" });
        const to = { chat_type: "telegroup", chat_id: String(chatId) };
        return crm.become(await crm.send({ text: "Hello Ann" }, to), "sent");
      },
    },
  ];
}

function failing(stage: Stage, crm: Crm): Step[] {
  const fault = (error: string, method: string) => () =>
    stage.admin("POST", "/faults", { phone: SHOP, method, error });
  const sendFault = (error: string) => fault(error, "messages.sendMessage");
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  const nobody = { chat_type: "telegram", username: "nobody_has_this" };
  return [
    errorStep(crm, "BAD_CONTACT", { send: () => crm.send({ text: "Hello" }, nobody) }),
    errorStep(crm, "TOO_LONG_TEXT", { send: () => crm.send({ text: "x".repeat(4_097) }) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", {
      arrange: fault("MEDIA_EMPTY", "messages.sendMedia"),
      send: () => crm.send({ attachment: { url: stage.fileUrl("application/pdf") } }),
    }),
    errorStep(crm, "CANNOT_REPLY_TO_DELETED", {
      arrange: sendFault("REPLY_MESSAGE_ID_INVALID"),
      send: hello,
    }),
    errorStep(crm, "GENERAL_ERROR", { arrange: sendFault("ENTITY_BOUNDS_INVALID"), send: hello }),
    waitedOutStep(crm, "FLOOD_WAIT", sendFault("FLOOD_WAIT_4"), "sent"),
    phoneCheckStep(crm, CHECKED, () =>
      stage.admin("POST", "/people", { phone: CHECKED.present, first_name: "Checked", id: 512_340_011 }),
    ),
    errorStep(crm, "SPAM", { arrange: sendFault("PEER_FLOOD"), send: hello }),
    restrictedStep(crm, "new_chats"),
  ];
}

function trouble(stage: Stage, crm: Crm): Step[] {
  const broken = (fault: object, text: string): Step["run"] => {
    return async () => {
      await stage.admin("POST", "/faults", { phone: SHOP, method: "messages.sendMessage", ...fault });
      await crm.become(await crm.send({ text }), "sent", { patienceMs: LONG_MS });
      return arrivedOnce(stage, text);
    };
  };
  return [
    { name: "the line drops before a send", run: broken({ kind: "drop_before" }, "Over a broken line") },
    { name: "the line drops in the middle of a send", run: broken({ kind: "drop" }, "Without an answer") },
    {
      name: "the same, and Telegram forgets the connection",
      run: broken({ kind: "drop", forget: true }, "Forgotten"),
    },
    killedStep(stage, crm, {
      hang: () =>
        stage.admin("POST", "/faults", { phone: SHOP, method: "messages.sendMessage", kind: "silence" }),
    }),
    moveStep(stage, crm, "sent", LONG_MS),
    offlineHourStep(stage, () => annWrites(stage, { text: "Missed", count: MISSED })),
  ];
}

function ending(stage: Stage, crm: Crm): Step[] {
  const isDisabled = (reason: string) => crm.status("disabled", reason);
  const session = `/people/${SHOP}/sessions/any`;
  return [
    {
      name: "ended on the phone",
      run: async () => {
        crm.forgetStatus();
        await stage.admin("DELETE", session);
        return isDisabled("unauthorized");
      },
    },
    foreignStep(stage, crm, "another account scans the new code"),
    { name: "linked again", run: () => linkAgain(stage, crm) },
    {
      name: "the same session elsewhere",
      run: async () => {
        await person(stage, SHOP, "sessions/any/duplicates");
        await isDisabled("openelsewhere");
        await stage.admin("DELETE", session);
        return "disabled / openelsewhere";
      },
    },
    { name: "linked by a number and a code", run: () => linkByCode(stage, crm) },
    {
      name: "nobody scans",
      run: async () => {
        await stage.admin("DELETE", session);
        await isDisabled("unauthorized");
        await stage.admin("POST", "/settings", { token_seconds: 1 });
        await reinit(stage, crm);
        await crm.status("disabled", "qridle", LONG_MS);
        await stage.admin("POST", "/settings", { token_seconds: 30 });
        return linkAgain(stage, crm);
      },
    },
    deleteStep(stage, crm, () =>
      stage.until("the phone shows no other device", async () => {
        const { items } = await stage.admin<{ items: unknown[] }>("GET", `/people/${SHOP}/sessions`);
        return items.length === 0;
      }),
    ),
    {
      name: "nothing was asked that Telegram does not know",
      run: async () => {
        const { items } = await stage.admin<{ items: { method: string }[] }>("GET", "/calls?unknown=true");
        if (items.length > 0) throw new Error(items.map(({ method }) => method).join(", "));
        return "nothing";
      },
    },
  ];
}

/** A wrong code is refused; the right one links. */
async function linkByCode(stage: Stage, crm: Crm): Promise<string> {
  await reinit(stage, crm);
  await crm.status("init", "qr");
  const asked = { transport: "tgapi", pairing_phone: SHOP };
  const { status } = await stage.api("POST", `/v2/channels/${crm.channelId}/pairing-code`, asked);
  if (status !== 200) throw new Error(String(status));
  await crm.status("init", "wait_for_code");
  const wrong = await giveSecret(stage, crm, { transport: "tgapi", secret: "00000" });
  if (!wrong.startsWith("400 WRONG_PASSWORD")) throw new Error(wrong);
  const { items } = await stage.admin<{ items: { code: string }[] }>("GET", `/people/${SHOP}/codes`);
  await giveSecret(stage, crm, { transport: "tgapi", secret: items.at(-1)?.code ?? "" });
  return crm.status("active", null);
}
