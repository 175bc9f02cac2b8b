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

const SHOP = "79990000001";
const ANN = "79990000002";
const OTHER_PHONE = "79990000003";
const STRANGER = "79990000009";
const IDS: Readonly<Record<string, number>> = {
  [SHOP]: 700_000_001,
  [ANN]: 446_543_212,
  [OTHER_PHONE]: 512_340_009,
  [STRANGER]: 512_340_010,
};
const PASSWORD = "correct horse";
const HINT = "and a battery";
/** Nodes that died have to be missed first, and lines are opened anew after a pause. */
const LONG_MS = 90_000;
const MISSED = 5_000;

/** A person's Telegram account, linked as one more device. It lives in the fourth data centre; clients begin in the second. */
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
      ...failing(stage, crm),
      ...trouble(stage, crm),
      ...ending(stage, crm),
    ];
  },
};
export default walk;

const person = <T = unknown>(stage: Stage, phone: string, action: string, body: object = {}): Promise<T> =>
  stage.admin<T>("POST", `/people/${phone}/${action}`, body);
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

/** What the service answers to a password or a code. */
async function giveSecret(stage: Stage, crm: Crm, secret: string): Promise<string> {
  const body = { transport: "tgapi", two_factor_code: secret };
  const { status, json } = await stage.api("POST", `/v2/channels/${crm.channelId}/auth/2fa`, body);
  const { error, description } = json as { error?: string; description?: string };
  return error === undefined ? String(status) : `${status} ${error}: ${description}`;
}

function connecting(stage: Stage, crm: Crm): Step[] {
  return [
    {
      name: "create people with phones",
      run: async () => {
        const people = { [SHOP]: "Shop", [ANN]: "Ann", [OTHER_PHONE]: "Else", [STRANGER]: "Stranger" };
        for (const [phone, first_name] of Object.entries(people))
          await stage.admin("POST", "/people", { phone, first_name, id: IDS[phone], username: `p${phone}` });
        await stage.admin("POST", "/people", { phone: SHOP, home_dc: 4, password: PASSWORD, hint: HINT });
        await stage.admin("POST", "/settings", { token_seconds: 4 });
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
        const answer = await giveSecret(stage, crm, "guess");
        if (!answer.startsWith("400 WRONG_PASSWORD") || !answer.includes(HINT)) throw new Error(answer);
        return answer;
      },
    },
    {
      name: "the right one",
      run: async () => {
        const answer = await giveSecret(stage, crm, PASSWORD);
        if (answer !== "200") throw new Error(answer);
        await stage.admin("DELETE", `/people/${SHOP}/passwords`);
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
    receiveStep(crm, "an echo of the phone", {
      act: () => person(stage, SHOP, "messages", { to: ANN, text: "From the phone" }),
      fields: { text: "From the phone", isEcho: true },
    }),
  ];
}

function sending(stage: Stage, crm: Crm): Step[] {
  const first = { chat_type: "telegram" };
  return [
    ...sendSteps(stage, crm, "sent"),
    sendStep(
      crm,
      "a voice note",
      () => ({ attachment: { url: stage.fileUrl("audio/ogg"), mimetype: "audio/ogg" } }),
      "sent",
    ),
    {
      name: "send to a username and to a number",
      run: async () => {
        const name = { ...first, username: `p${STRANGER}` };
        await crm.become(await crm.send({ text: "By name" }, name), "sent");
        await crm.become(await crm.send({ text: "By number" }, { ...first, phone: OTHER_PHONE }), "sent");
        return "both arrived";
      },
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
  ];
}

interface Shown {
  readonly message_id: number;
  readonly text: string;
}

const conversation = async (stage: Stage): Promise<readonly Shown[]> =>
  (await stage.admin<{ items: Shown[] }>("GET", `/people/${ANN}/chats/${SHOP}/messages`)).items;

function changing(stage: Stage, crm: Crm): Step[] {
  const ours = { id: "" };
  const theirs = { message_id: 0 };
  return [
    {
      name: "edit a message",
      run: async () => {
        ours.id = await crm.send({ text: "Monday" });
        await crm.become(ours.id, "sent");
        await crm.change("PATCH", ours.id, { text: "Tuesday" });
        await crm.hears({ messageId: ours.id, isEdited: true, text: "Tuesday" });
        const shown = (await conversation(stage)).some(({ text }) => text === "Tuesday");
        if (!shown) throw new Error("Ann does not see it");
        return "Ann sees it";
      },
    },
    {
      name: "delete a message",
      run: async () => {
        const status = await crm.change("DELETE", ours.id);
        await crm.hears({ messageId: ours.id, isDeleted: true });
        const shown = (await conversation(stage)).some(({ text }) => text === "Tuesday");
        if (shown) throw new Error("Ann still sees it");
        return status;
      },
    },
    {
      name: "the customer edits",
      run: async () => {
        Object.assign(theirs, await annWrites(stage, { text: "Tow" }));
        await crm.hears({ text: "Tow" });
        await person(stage, ANN, "edits", { chat: SHOP, message_id: theirs.message_id, text: "Two" });
        const { oldInfo } = await crm.hears({ text: "Two", isEdited: true });
        return `was ${(oldInfo as { oldText?: string }).oldText}`;
      },
    },
    {
      name: "the customer deletes",
      run: async () => {
        await person(stage, ANN, "deletions", { chat: SHOP, message_id: theirs.message_id });
        await crm.hears({ isDeleted: true });
        return "told";
      },
    },
  ];
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
    {
      name: "FLOOD_WAIT is waited out",
      run: async () => {
        await sendFault("FLOOD_WAIT_4")();
        return crm.become(await hello(), "sent");
      },
    },
    errorStep(crm, "SPAM", { arrange: sendFault("PEER_FLOOD"), send: hello }),
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
    {
      name: "the node is killed in the middle of a send",
      run: async () => {
        const text = "Over a crash";
        await stage.admin("POST", "/faults", {
          phone: SHOP,
          method: "messages.sendMessage",
          kind: "silence",
        });
        const id = await crm.send({ text });
        await stage.until("Telegram has it", async () =>
          (await conversation(stage)).some((message) => message.text === text),
        );
        await stage.service.kill();
        await annWrites(stage, { text: "While you were away" });
        stage.service = await stage.startNode();
        await crm.become(id, "sent", { patienceMs: LONG_MS });
        await crm.hears({ text: "While you were away" });
        if (crm.hasHeard({ text })) throw new Error("it was told as an echo");
        return arrivedOnce(stage, text);
      },
    },
    moveStep(stage, crm, "sent", LONG_MS),
    {
      name: `an hour offline with ${MISSED} messages`,
      run: async () => {
        await stage.service.stop();
        await annWrites(stage, { text: "Missed", count: MISSED });
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

async function arrivedOnce(stage: Stage, wanted: string): Promise<string> {
  const times = (await conversation(stage)).filter(({ text }) => text === wanted).length;
  if (times !== 1) throw new Error(`it arrived ${times} times`);
  return "arrived once";
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
    {
      name: "another account scans the new code",
      run: async () => {
        await reinit(stage, crm);
        await scan(stage, crm, OTHER_PHONE);
        return isDisabled("foreignphone");
      },
    },
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
    {
      name: "linked by a number and a code",
      run: async () => {
        await reinit(stage, crm);
        await crm.status("init", "qr");
        const asked = { transport: "tgapi", pairing_phone: SHOP };
        const { status } = await stage.api("POST", `/v2/channels/${crm.channelId}/pairing-code`, asked);
        if (status !== 200) throw new Error(String(status));
        await crm.status("init", "wait_for_code");
        const wrong = await giveSecret(stage, crm, "00000");
        if (!wrong.startsWith("400 WRONG_PASSWORD")) throw new Error(wrong);
        const { items } = await stage.admin<{ items: { code: string }[] }>("GET", `/people/${SHOP}/codes`);
        await giveSecret(stage, crm, items.at(-1)?.code ?? "");
        return crm.status("active", null);
      },
    },
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
