import type { Step, Walk } from "../walk/contract.ts";
import { Crm } from "../walk/crm.ts";
import { groupSteps } from "../walk/groups.ts";
import type { Stage } from "../walk/stage.ts";
import {
  deleteStep,
  errorStep,
  type Kind,
  killStep,
  moveStep,
  receiveStep,
  receiveSteps,
  sendStep,
  sendSteps,
} from "../walk/steps.ts";
import {
  blockedStep,
  changeSteps,
  editedStep,
  markSteps,
  quoteStep,
  reactionSteps,
  referralStep,
  revokedStep,
  waitedOutStep,
} from "../walk/talk.ts";

const PERSON = 4711;
const STRANGER = 4712;

/** Telegram bots. The Bot API reports neither reading nor a customer's deletions. */
const walk: Walk = {
  settings: ({ url }) => ({ TELEGRAM_API_URL: String(url) }),
  steps(stage) {
    const bot = { id: 0, token: "" };
    const crm = new Crm(stage, { chat_type: "telegram", chat_id: String(PERSON) });
    return [
      ...connecting(stage, crm, bot),
      ...sending(stage, crm, bot),
      ...receiving(stage, crm, bot),
      ...changing(stage, crm, bot),
      ...inGroup(stage, crm, bot),
      ...failing(stage, crm, bot),
      ...ending(stage, crm, bot),
    ];
  },
};
export default walk;

interface Bot {
  id: number;
  token: string;
}

interface Stored {
  readonly message_id: number;
  readonly reactions: readonly string[];
}

const person = ({ id }: Bot): string => `/bots/${id}/users/${PERSON}`;

const write = (stage: Stage, bot: Bot, message: object): Promise<{ message: { message_id: number } }> =>
  stage.admin("POST", `${person(bot)}/messages`, message);

function connecting(stage: Stage, crm: Crm, bot: Bot): Step[] {
  return [
    {
      name: "create a bot and a customer",
      run: async () => {
        await stage.admin("POST", "/settings", { retry_scale: 0.01, wait_scale: 0, novelty: 7 });
        Object.assign(bot, await stage.admin<Bot>("POST", "/bots", {}));
        await stage.admin("POST", "/users", { id: PERSON, first_name: "Ann" });
        await stage.admin("POST", `${person(bot)}/start`, {});
        return `bot ${bot.id}`;
      },
    },
    {
      name: "create the channel",
      run: async () => {
        await crm.createChannel("telegram", { telegram_token: bot.token });
        return crm.status("active", null);
      },
    },
  ];
}

function sending(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const buttons = [{ text: "Yes", callback_data: "yes" }];
  return [
    ...sendSteps(stage, crm, "sent"),
    quoteStep(crm, "sent", { write: (text) => write(stage, bot, { text }) }),
    sendStep(
      crm,
      "inline buttons",
      () => ({ text: "Shall we?", keyboard: { reply_markup: "inline", buttons } }),
      "sent",
    ),
    receiveStep(crm, "a press of a button", {
      act: () => stage.admin("POST", `${person(bot)}/presses`, { data: "yes" }),
      fields: { type: "text", text: "Yes" },
    }),
  ];
}

function receiving(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["a photo", { kind: "photo" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["a voice note", { kind: "voice" }, "audio"],
    ["audio", { kind: "audio" }, "audio"],
    ["a document", { kind: "document" }, "document"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["a contact", { kind: "contact", phone_number: "79001112233", first_name: "Bob" }, "vcard"],
    ["a place", { kind: "location", latitude: 55.75, longitude: 37.62 }, "geo"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => write(stage, bot, message)),
    ...markSteps(crm, ["typing"]),
  ];
}

function changing(stage: Stage, crm: Crm, bot: Bot): Step[] {
  return [
    ...changeSteps(crm),
    editedStep(
      crm,
      (text) => write(stage, bot, { text }),
      ({ message: { message_id } }, text) =>
        stage.admin("POST", `${person(bot)}/edits`, { message_id, text }),
    ),
    ...reactionSteps(stage, crm, {
      write: (text) => write(stage, bot, { text }),
      react: ({ message: { message_id } }, emoji) =>
        stage.admin("POST", `${person(bot)}/reactions`, { message_id, ...(emoji !== null && { emoji }) }),
      seen: async ({ message: { message_id } }) => {
        const path = `/bots/${bot.id}/chats/${PERSON}/messages`;
        const { items } = await stage.admin<{ items: Stored[] }>("GET", path);
        return items.find((each) => each.message_id === message_id)?.reactions ?? [];
      },
    }),
    referralStep(crm, () => stage.admin("POST", `${person(bot)}/start`, { payload: "promo7" }), {
      text: "/start promo7",
      source: "link",
      ref: "promo7",
    }),
  ];
}

function inGroup(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const group = { id: 0 };
  const act = (what: string, body: object) => (): Promise<unknown> =>
    stage.admin("POST", `/groups/${group.id}/${what}`, body);
  const update = "group_chat.update";
  const members = "group_chat.memberships_update";
  return groupSteps(crm, [
    {
      name: "the bot is added, as administrator",
      act: async () => {
        await stage.admin("POST", "/users", { id: STRANGER, first_name: "Bob" });
        const made = { title: "Team", type: "supergroup", user_ids: [PERSON] };
        Object.assign(group, await stage.admin("POST", "/groups", made));
        await act("bots", { bot_id: bot.id, administrator: true })();
      },
      event: members,
      fields: { action: "added", chat_type: "telegroup" },
    },
    {
      name: "and that it is one is told as well",
      act: async () => undefined,
      event: members,
      fields: { action: "promoted" },
    },
    { name: "another title", act: act("titles", { title: "Crew" }), event: update, fields: { name: "Crew" } },
    { name: "a picture", act: act("photos", {}), event: update, fields: { old_name: null } },
    {
      name: "no picture",
      act: () => stage.admin("DELETE", `/groups/${group.id}/photos`, {}),
      event: update,
      fields: { avatar_uri: null },
    },
    {
      name: "somebody joins",
      act: act("users", { user_id: STRANGER }),
      event: members,
      fields: { action: "added" },
    },
    {
      name: "becomes an administrator",
      act: act("promotions", { user_id: STRANGER }),
      event: members,
      fields: { action: "promoted" },
    },
    {
      name: "is removed",
      act: act("removals", { user_id: STRANGER, by: PERSON }),
      event: members,
      fields: { action: "removed" },
    },
  ]);
}

function failing(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const fault = (error_code: number, description: string) => () =>
    stage.admin("POST", "/faults", { bot_id: bot.id, error_code, description });
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  const pdf = { attachment: { url: stage.fileUrl("application/pdf"), mimetype: "application/pdf" } };
  return [
    errorStep(crm, "BAD_CONTACT", {
      send: () => crm.send({ text: "Hello" }, { chat_type: "telegram", chat_id: String(STRANGER) }),
    }),
    errorStep(crm, "TOO_LONG_TEXT", { send: () => crm.send({ text: "x".repeat(4097) }) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", {
      arrange: () =>
        stage.admin("POST", "/faults", {
          bot_id: bot.id,
          error_code: 400,
          description: "Bad Request: IMAGE_PROCESS_FAILED",
          times: 3,
        }),
      send: () => crm.send({ attachment: { url: stage.fileUrl("image/jpeg"), mimetype: "image/jpeg" } }),
    }),
    {
      name: "the faults that were not needed go",
      run: async () => {
        await stage.admin("DELETE", "/faults");
        return "none";
      },
    },
    errorStep(crm, "CANNOT_REPLY_TO_DELETED", {
      arrange: fault(400, "Bad Request: message to be replied not found"),
      send: hello,
    }),
    errorStep(crm, "GENERAL_ERROR", {
      arrange: fault(400, "Bad Request: something new"),
      send: () => crm.send(pdf),
    }),
    errorStep(crm, "UNKNOWN_ERROR", {
      arrange: () => stage.admin("POST", "/faults", { bot_id: bot.id, method: "sendMessage", drop: "after" }),
      send: hello,
    }),
    waitedOutStep(
      crm,
      "flood control",
      () => stage.admin("POST", "/faults", { bot_id: bot.id, method: "sendMessage", retry_after: 1 }),
      "sent",
    ),
  ];
}

function ending(stage: Stage, crm: Crm, bot: Bot): Step[] {
  return [
    blockedStep(crm, "the customer blocks the bot", {
      block: () => stage.admin("POST", `${person(bot)}/blocks`, {}),
      unblock: () => stage.admin("POST", `${person(bot)}/unblocks`, {}),
    }),
    killStep(stage, crm, {
      hang: () => stage.admin("POST", "/faults", { bot_id: bot.id, method: "sendMessage", hang_ms: 60_000 }),
      arrivals: async (text) => {
        const { items } = await stage.admin<{ items: { message?: { text?: string } }[] }>(
          "GET",
          `/bots/${bot.id}/sent?method=sendMessage`,
        );
        return items.filter(({ message }) => message?.text === text).length;
      },
      news: [],
      until: "sent",
    }),
    moveStep(stage, crm, "sent"),
    revokedStep(crm, "the token is revoked", () => stage.admin("POST", `/bots/${bot.id}/revocations`, {})),
    deleteStep(stage, crm),
  ];
}
