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
  cameFrom,
  changeSteps,
  editedStep,
  markSteps,
  offlineStep,
  quoteStep,
  revokedStep,
  waitedOutStep,
} from "../walk/talk.ts";

const PERSON = 4711;
const STRANGER = 4712;

/** Bots of MAX. The bot API reports neither delivery nor reading. */
const walk: Walk = {
  settings: ({ url }) => ({ MAXBOT_API_URL: String(url) }),
  steps(stage) {
    // The id of the dialog is assigned when it starts.
    const bot: Bot = { user_id: 0, token: "", dialog: { chat_type: "max", chat_id: "" } };
    const crm = new Crm(stage, bot.dialog);
    return [
      ...connecting(stage, crm, bot),
      ...sending(stage, crm, bot),
      ...receiving(stage, crm, bot),
      ...changing(stage, crm, bot),
      ...inGroup(stage, crm, bot),
      ...failing(stage, crm),
      ...ending(stage, crm, bot),
    ];
  },
};
export default walk;

interface Bot {
  user_id: number;
  token: string;
  readonly dialog: { readonly chat_type: string; chat_id: string };
}

const person = ({ user_id }: Bot): string => `/bots/${user_id}/users/${PERSON}`;

const write = (stage: Stage, bot: Bot, message: object): Promise<{ message: { body: { mid: string } } }> =>
  stage.admin("POST", `${person(bot)}/messages`, message);

function connecting(stage: Stage, crm: Crm, bot: Bot): Step[] {
  return [
    {
      name: "create a bot",
      run: async () => {
        await stage.admin("POST", "/settings", { retry_scale: 0.001, novelty: 7 });
        Object.assign(bot, await stage.admin<Bot>("POST", "/bots", {}));
        await stage.admin("POST", "/users", { user_id: PERSON, first_name: "Ann" });
        return `bot ${bot.user_id}`;
      },
    },
    {
      name: "create the channel",
      run: async () => {
        await crm.createChannel("maxbot", { access_token: bot.token });
        return crm.status("active", null);
      },
    },
    {
      name: "a customer presses Start, from a link with a payload",
      run: async () => {
        const started = await stage.admin<{ chat_id: number }>("POST", `${person(bot)}/start`, {
          payload: "promo7",
        });
        bot.dialog.chat_id = String(started.chat_id);
        return cameFrom(await crm.hears({ text: "/start promo7" }), { source: "link", ref: "promo7" });
      },
    },
  ];
}

function sending(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const buttons = [
    [
      { type: "callback", text: "Yes", payload: "yes", intent: "positive" },
      { type: "link", text: "Site", url: "https://shop.example/" },
      { type: "message", text: "Later" },
    ],
  ];
  return [
    ...sendSteps(stage, crm, "sent"),
    quoteStep(crm, "sent", { write: (text) => write(stage, bot, { text }) }),
    sendStep(crm, "all three types of buttons", () => ({ text: "Shall we?", keyboard: { buttons } }), "sent"),
    receiveStep(crm, "a press of a button", {
      act: () => stage.admin("POST", `${person(bot)}/presses`, { payload: "yes" }),
      fields: { type: "text", text: "Yes" },
    }),
    receiveStep(crm, "a button that writes", {
      act: () => stage.admin("POST", `${person(bot)}/presses`, { text: "Later" }),
      fields: { type: "text", text: "Later" },
    }),
  ];
}

function receiving(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["a picture", { kind: "image" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["a voice note", { kind: "voice" }, "audio"],
    ["audio", { kind: "audio" }, "audio"],
    ["a file", { kind: "file" }, "document"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["a contact", { kind: "contact", phone: "79001112233", name: "Bob" }, "vcard"],
    ["a place", { kind: "location", latitude: 55.75, longitude: 37.62 }, "geo"],
    ["a text with an address and its preview", { text: "See https://shop.example/2" }, "text"],
    ["a link with a preview", { kind: "share", url: "https://shop.example/1", title: "A kettle" }, "text"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => write(stage, bot, message)),
    ...markSteps(crm, ["read", "typing"]),
  ];
}

function changing(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const theirs = { mid: "" };
  return [
    ...changeSteps(crm),
    editedStep(
      crm,
      async (text) => {
        const { message } = await write(stage, bot, { text });
        theirs.mid = message.body.mid;
      },
      (_, text) => stage.admin("POST", `${person(bot)}/edits`, { mid: theirs.mid, text }),
    ),
    {
      name: "the customer deletes",
      run: async () => {
        await stage.admin("POST", `${person(bot)}/deletions`, { mid: theirs.mid });
        await crm.hears({ text: "Two", isDeleted: true });
        return "gone";
      },
    },
  ];
}

function inGroup(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const group = { chat_id: 0 };
  const act = (what: string, body: object) => (): Promise<unknown> =>
    stage.admin("POST", `/groups/${group.chat_id}/${what}`, body);
  const update = "group_chat.update";
  const members = "group_chat.memberships_update";
  return [
    ...groupSteps(crm, [
      {
        name: "the bot is added",
        act: async () => {
          await stage.admin("POST", "/users", { user_id: STRANGER, first_name: "Bob" });
          Object.assign(group, await stage.admin("POST", "/groups", { title: "Team", user_ids: [PERSON] }));
          await act("bots", { bot_id: bot.user_id })();
        },
        event: members,
        fields: { action: "added", chat_type: "maxgroup" },
      },
      {
        name: "another title",
        act: act("titles", { title: "Crew" }),
        event: update,
        fields: { name: "Crew" },
      },
      {
        name: "somebody joins",
        act: act("users", { user_id: STRANGER }),
        event: members,
        fields: { action: "added" },
      },
      {
        name: "is removed",
        act: act("removals", { user_id: STRANGER, by: PERSON }),
        event: members,
        fields: { action: "removed" },
      },
    ]),
    {
      name: "write and answer in the group",
      run: async () => {
        await act("messages", { user_id: PERSON, text: "Among us" })();
        const heard = await crm.hears({ text: "Among us", chatType: "maxgroup" });
        const to = { chat_type: "maxgroup", chat_id: String(group.chat_id) };
        await crm.become(await crm.send({ text: "And the bot" }, to), "sent");
        return `from ${JSON.stringify(heard["sender"])}`;
      },
    },
  ];
}

function failing(stage: Stage, crm: Crm): Step[] {
  const fault =
    (code: string, more: object = {}) =>
    () =>
      stage.admin("POST", "/faults", { method: "POST", node: "messages", code, ...more });
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  const pdf = { attachment: { url: stage.fileUrl("application/pdf"), mimetype: "application/pdf" } };
  return [
    errorStep(crm, "BAD_CONTACT", {
      send: () => crm.send({ text: "Hello" }, { chat_type: "max", chat_id: "99" }),
    }),
    errorStep(crm, "TOO_LONG_TEXT", {
      arrange: fault("proto.payload", { message: "text: size must be between 0 and 4000" }),
      send: hello,
    }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", {
      arrange: fault("proto.payload", { message: "errors.process.attachment.file.broken" }),
      send: () => crm.send(pdf),
    }),
    errorStep(crm, "CANNOT_REPLY_TO_DELETED", { arrange: fault("message.not.found"), send: hello }),
    errorStep(crm, "GENERAL_ERROR", {
      arrange: fault("proto.payload", { message: "something new" }),
      send: hello,
    }),
    errorStep(crm, "UNKNOWN_ERROR", {
      arrange: () => stage.admin("POST", "/faults", { method: "POST", node: "messages", drop: "after" }),
      send: hello,
    }),
    {
      name: "a file that is not ready is sent when it is",
      run: async () => {
        await stage.admin("POST", "/settings", { not_ready_calls: 2 });
        const status = await crm.become(await crm.send(pdf), "sent");
        await stage.admin("POST", "/settings", { not_ready_calls: 1 });
        return status;
      },
    },
    waitedOutStep(crm, "flood control", fault("too.many.requests", { retry_after: 1 }), "sent"),
  ];
}

function ending(stage: Stage, crm: Crm, bot: Bot): Step[] {
  return [
    blockedStep(crm, "the customer stops the bot", {
      block: () => stage.admin("POST", `${person(bot)}/stop`, {}),
      unblock: () => stage.admin("POST", `${person(bot)}/start`, {}),
    }),
    killStep(stage, crm, {
      hang: () => stage.admin("POST", "/faults", { method: "POST", node: "messages", hang_ms: 60_000 }),
      arrivals: async (text) => {
        const { items } = await stage.admin<{ items: { message?: { body?: { text?: string } } }[] }>(
          "GET",
          `/bots/${bot.user_id}/sent?method=sendMessage`,
        );
        return items.filter(({ message }) => message?.body?.text === text).length;
      },
      news: [],
      until: "sent",
    }),
    moveStep(stage, crm, "sent"),
    offlineStep(stage, crm, (text) => write(stage, bot, { text })),
    revokedStep(crm, "the token is revoked", () =>
      stage.admin("POST", `/bots/${bot.user_id}/revocations`, {}),
    ),
    deleteStep(stage, crm),
  ];
}
