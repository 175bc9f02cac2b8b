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
  killedStep,
  LONG_MS,
  linkAgain,
  nextCode,
  OTHER_PHONE,
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
  restrictionStep,
  sendStep,
  sendSteps,
} from "../walk/steps.ts";
import { changeSteps, editedStep, markSteps, quoteStep, reactionSteps, referralStep } from "../walk/talk.ts";
import { passkeySteps } from "./passkey/walk-steps.ts";

const EVE = "79990000008";

/** A person's WhatsApp account, linked as another device of their phone. */
const walk: Walk = {
  settings: ({ settings }) => settings as Record<string, string>,
  steps(stage) {
    const crm = new Crm(stage, { chat_type: "whatsapp", chat_id: ANN });
    return [
      ...connecting(stage, crm),
      ...receiving(stage, crm),
      ...sending(stage, crm),
      ...changing(stage, crm),
      ...inGroup(stage, crm),
      ...ownGroupSteps(stage, crm, {
        chatType: "whatsgroup",
        first: { phone: ANN },
        second: { chat_id: OTHER_PHONE },
        can: ["picture", "add", "promote", "demote", "remove"],
      }),
      ...failing(stage, crm),
      ...trouble(stage, crm),
      ...ending(stage, crm),
    ];
  },
};
export default walk;

const ann = (stage: Stage, action: string, body: object = {}): Promise<unknown> =>
  person(stage, ANN, action, body);

function connecting(stage: Stage, crm: Crm): Step[] {
  return [
    {
      name: "create people with phones",
      run: async () => {
        const people = { [SHOP]: "Shop", [ANN]: "Ann", [OTHER_PHONE]: "Somebody else" };
        for (const [phone, name] of Object.entries(people))
          await stage.admin("POST", "/people", { phone, name });
        await stage.admin("POST", "/settings", { novelty: 7 });
        return `the owner has ${SHOP}`;
      },
    },
    {
      name: "create the channel",
      run: async () => {
        await crm.createChannel("whatsapp", {});
        return crm.status("init", "qr");
      },
    },
    {
      name: "the phone scans the QR code",
      run: async () => {
        await scan(stage, crm, SHOP);
        return crm.status("active", null);
      },
    },
  ];
}

function receiving(stage: Stage, crm: Crm): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["an image", { kind: "image" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["a voice note", { kind: "voice" }, "audio"],
    ["a document", { kind: "document" }, "document"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["a moving sticker", { kind: "lottie_sticker" }, "image"],
    ["a contact", { kind: "contact", name: "Bob", phone_number: "79001112233" }, "vcard"],
    ["a place", { kind: "location", latitude: 55.75, longitude: 37.62 }, "geo"],
    ["a poll", { kind: "poll", question: "Lunch?", options: ["Yes", "No"] }, "text"],
    [
      "a question",
      { kind: "proto", message: { questionMessage: { message: { extendedTextMessage: { text: "Red?" } } } } },
      "text",
    ],
    ["what only the phone may show", { kind: "view_once" }, "unsupported"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => annWrites(stage, message)),
    ...markSteps(crm, ["read", "typing"]),
    receiveStep(crm, "a missed call", {
      act: async () => {
        const call = (await ann(stage, "calls", { to: SHOP })) as { call_id: string };
        await ann(stage, `calls/${call.call_id}/ends`, { to: SHOP });
      },
      fields: { type: "missing_call" },
    }),
    echoStep(stage, crm),
    receiveStep(crm, "a message of a group", {
      act: async () => {
        const group = await stage.admin<{ id: string }>("POST", "/groups", {
          subject: "Friends",
          participants: [SHOP, ANN],
        });
        await ann(stage, "messages", { to: group.id, text: "Hello all" });
      },
      fields: { text: "Hello all", chatType: "whatsgroup" },
    }),
  ];
}

function sending(stage: Stage, crm: Crm): Step[] {
  return [
    ...sendSteps(stage, crm, "delivered"),
    sendStep(crm, "a voice note", voiceContent(stage), "delivered"),
    quoteStep(crm, "delivered", {
      write: (text) => annWrites(stage, { text }),
      read: () => ann(stage, "reads"),
    }),
  ];
}

function changing(stage: Stage, crm: Crm): Step[] {
  const theirs = { message_id: "" };
  return [
    ...changeSteps(crm, "delivered", (text) => seenByAnn(stage, text)),
    editedStep(
      crm,
      async (text) => Object.assign(theirs, await annWrites(stage, { text })),
      ({ message_id }, text) => ann(stage, "edits", { message_id, text }),
    ),
    ...reactionSteps(stage, crm, {
      write: (text) => annWrites<{ message_id: string }>(stage, { text }),
      react: ({ message_id }, emoji) => ann(stage, "reactions", { message_id, emoji: emoji ?? "" }),
      seen: async ({ message_id }) => {
        const found = (await conversation<Reacted>(stage)).find((each) => each.message_id === message_id);
        return Object.keys(found?.reactions ?? {});
      },
    }),
    referralStep(
      crm,
      () => {
        const externalAdReply = { sourceType: "ad", sourceId: "7", title: "Kettles" };
        const words = { text: "From your ad", contextInfo: { externalAdReply } };
        return annWrites(stage, { kind: "proto", message: { extendedTextMessage: words } });
      },
      { text: "From your ad", source: "ad", headline: "Kettles" },
    ),
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
  const other = { participants: [OTHER_PHONE] };
  return groupSteps(crm, [
    // The group of a message.
    {
      name: "made with the account in it",
      act: async () => undefined,
      event: members,
      fields: { name: "Friends" },
    },
    {
      name: "another one",
      act: async () => {
        const made = { subject: "Team", participants: [ANN, SHOP] };
        Object.assign(group, await stage.admin("POST", "/groups", made));
      },
      event: members,
      fields: { action: "added", name: "Team", chat_type: "whatsgroup" },
    },
    {
      name: "another name",
      act: change("subject", { value: "Crew" }),
      event: update,
      fields: { name: "Crew", old_name: "Team" },
    },
    {
      name: "a picture",
      act: () => stage.admin("POST", `/groups/${group.id}/photos`, {}),
      event: update,
      fields: { old_name: null },
    },
    { name: "somebody is added", act: change("add", other), event: members, fields: { action: "added" } },
    {
      name: "becomes an administrator",
      act: change("promote", other),
      event: members,
      fields: { action: "promoted" },
    },
    {
      name: "leaves",
      act: change("remove", { ...other, by: OTHER_PHONE }),
      event: members,
      fields: { action: "left" },
    },
  ]);
}

function failing(stage: Stage, crm: Crm): Step[] {
  const fault = (error_code: number) => () =>
    stage.admin("POST", "/faults", { phone: SHOP, to: ANN, error_code });
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  return [
    errorStep(crm, "BAD_CONTACT", {
      send: () => crm.send({ text: "Hello" }, { chat_type: "whatsapp", chat_id: "70000000001" }),
    }),
    errorStep(crm, "TOO_LONG_TEXT", { send: () => crm.send({ text: "x".repeat(65_537) }) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "GENERAL_ERROR", { arrange: fault(488), send: hello }),
    {
      name: "forged keys of a contact are refused",
      run: async () => {
        await stage.admin("POST", "/people", { phone: EVE, name: "Eve" });
        await stage.admin("POST", "/forgeries", { kind: "bundle", phone: EVE, times: 5 });
        const id = await crm.send({ text: "Hello" }, { chat_type: "whatsapp", chat_id: EVE });
        return crm.become(id, "error", { code: "GENERAL_ERROR" });
      },
    },
    restrictionStep(crm, "new_chats", {
      begin: () => person(stage, SHOP, "restrictions", { seconds: 86_400 }),
      end: () => person(stage, SHOP, "restrictions", { seconds: 0 }),
    }),
    restrictionStep(crm, "volume", {
      begin: () => person(stage, SHOP, "caps", { status: "CAPPED", seconds: 86_400 }),
      end: () => person(stage, SHOP, "caps", { status: "NONE", seconds: 86_400 }),
    }),
    phoneCheckStep(crm, CHECKED, () =>
      stage.admin("POST", "/people", { phone: CHECKED.present, name: "Checked" }),
    ),
    errorStep(crm, "SPAM", {
      arrange: async () => {
        await stage.admin("POST", "/people", { phone: STRANGER, name: "Stranger" });
        await stage.admin("POST", "/faults", { phone: SHOP, to: STRANGER, error_code: 463 });
      },
      send: () => crm.send({ text: "Hello" }, { chat_type: "whatsapp", chat_id: STRANGER }),
    }),
    restrictedStep(crm, "new_chats"),
  ];
}

function trouble(stage: Stage, crm: Crm): Step[] {
  return [
    {
      name: "the line drops in the middle of a send",
      run: async () => {
        const { before, id } = await sendHeld(stage, crm, "Over a broken line");
        await stage.admin("POST", `/people/${SHOP}/devices/any/drops`, {});
        await release(stage);
        await crm.become(id, "sent");
        return arrivedOnce(stage, "Over a broken line", before);
      },
    },
    killedStep(stage, crm, { hang: () => hold(stage), release: () => release(stage) }),
    moveStep(stage, crm, "delivered", LONG_MS),
    {
      name: "a server with a forged root is not talked to",
      run: async () => {
        await stage.admin("POST", "/forgeries", { kind: "root", times: 1 });
        await stage.admin("POST", `/people/${SHOP}/devices/any/drops`, {});
        return crm.become(await crm.send({ text: "To the genuine one" }), "delivered", {
          patienceMs: LONG_MS,
        });
      },
    },
  ];
}

/** A message that has reached the phone without the service knowing it. */
async function sendHeld(stage: Stage, crm: Crm, text: string): Promise<{ before: number; id: string }> {
  await hold(stage);
  const before = (await conversation(stage)).length;
  const id = await crm.send({ text });
  await seenByAnn(stage, text);
  return { before, id };
}

/** From now on, sends are not acknowledged, and Ann's phone sends no receipts. */
async function hold(stage: Stage): Promise<void> {
  await stage.admin("POST", `/people/${SHOP}/behaviour`, { acks: "held" });
  await ann(stage, "behaviour", { deliveries: "held" });
}

/** Sends are acknowledged again, and Ann's phone sends its receipts. */
async function release(stage: Stage): Promise<void> {
  await stage.admin("POST", `/people/${SHOP}/behaviour`, { acks: "auto" });
  await ann(stage, "behaviour", { deliveries: "auto" });
}

function ending(stage: Stage, crm: Crm): Step[] {
  const isDisabled = (reason: string) => crm.status("disabled", reason);
  return [
    {
      name: "unlinked on the phone",
      run: async () => {
        await stage.admin("DELETE", `/people/${SHOP}/devices/any`);
        return isDisabled("unauthorized");
      },
    },
    foreignStep(stage, crm, "another phone scans the new code"),
    {
      name: "a forged account signature is refused",
      run: async () => {
        await reinit(stage, crm);
        return refuseForged(stage, crm);
      },
    },
    { name: "linked again", run: () => linkAgain(stage, crm) },
    {
      name: "logged in elsewhere",
      run: async () => {
        await stage.admin("POST", `/people/${SHOP}/devices/any/replacements`, {});
        return isDisabled("openelsewhere");
      },
    },
    {
      name: "taken back from there",
      run: async () => {
        await reinit(stage, crm);
        return crm.status("active", null);
      },
    },
    { name: "linked by a pairing code", run: () => linkByPairingCode(stage, crm) },
    ...passkeySteps(stage, crm, { enterCode: () => enterPairingCode(stage, crm) }),
    {
      name: "a pairing code for a linked channel",
      run: async () => {
        const body = { transport: "whatsapp", pairing_phone: SHOP };
        const { json } = await stage.api("POST", `/v2/channels/${crm.channelId}/pairing-code`, body);
        const { error } = json as { error?: string };
        if (error !== "PAIRING_NOT_EXPECTED") throw new Error(String(error));
        return error;
      },
    },
    deleteStep(stage, crm, () =>
      stage.until("the phone shows no linked device", async () => {
        const { items } = await stage.admin<{ items: unknown[] }>("GET", `/people/${SHOP}/devices`);
        return items.length === 0;
      }),
    ),
  ];
}

async function linkByPairingCode(stage: Stage, crm: Crm): Promise<string> {
  await stage.admin("DELETE", `/people/${SHOP}/devices/any`);
  await crm.status("disabled", "unauthorized");
  await reinit(stage, crm);
  await crm.status("init", "qr");
  const code = await enterPairingCode(stage, crm);
  await crm.status("active", null);
  return code;
}

async function enterPairingCode(stage: Stage, crm: Crm): Promise<string> {
  const { status, json } = await stage.api("POST", `/v2/channels/${crm.channelId}/pairing-code`, {
    transport: "whatsapp",
    pairing_phone: SHOP,
  });
  const [answer] = (json as { data?: { pairing_code: string }[] }).data ?? [];
  if (answer === undefined) throw new Error(`${status} ${JSON.stringify(json)}`);
  await stage.admin("POST", `/people/${SHOP}/codes`, { code: answer.pairing_code });
  return answer.pairing_code;
}

async function refuseForged(stage: Stage, crm: Crm): Promise<string> {
  const qr = await nextCode(stage, crm);
  const forged = stage.admin("POST", `/people/${SHOP}/scans`, { qr, forge: "account_signature" });
  const refusal = await forged.then(
    () => "",
    (error: unknown) => String(error),
  );
  if (!refusal.includes("refused_by_client")) throw new Error(refusal || "it was accepted");
  return "refused by the client";
}
