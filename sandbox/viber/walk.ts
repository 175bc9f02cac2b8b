import type { Step, Walk } from "../walk/contract.ts";
import { Crm } from "../walk/crm.ts";
import type { Stage } from "../walk/stage.ts";
import {
  deleteStep,
  errorStep,
  type Kind,
  killStep,
  moveStep,
  receiveStep,
  receiveSteps,
  restrictedStep,
  sendSteps,
} from "../walk/steps.ts";
import { blockedStep, cameFrom, offlineStep, revokedStep, waitedOutStep } from "../walk/talk.ts";

const ANN = "ann";
const BOB = "bob";
const SHARED_TOKEN = "5564c7bd2t456789-f13d6023285916a0-sharedbyall";

/** Viber bots: one supplied by a channel, and one that channels of the installation share. */
const walk: Walk = {
  settings: ({ url }) => ({ VIBER_API_URL: String(url), VIBER_BOT_TOKEN: SHARED_TOKEN }),
  steps(stage) {
    // Viber assigns Ann's id for a bot.
    const bot: Bot = { id: "", token: "", ann: { chat_type: "viber", chat_id: "" } };
    const crm = new Crm(stage, bot.ann);
    return [
      ...connecting(stage, crm, bot),
      ...sending(stage, crm, bot),
      ...receiving(stage, crm, bot),
      ...failing(stage, crm, bot),
      ...sharing(stage),
      ...ending(stage, crm, bot),
    ];
  },
};
export default walk;

interface Bot {
  id: string;
  token: string;
  readonly ann: { readonly chat_type: string; chat_id: string };
}

const ann = ({ id }: Bot): string => `/bots/${id}/users/${ANN}`;

function connecting(stage: Stage, crm: Crm, bot: Bot): Step[] {
  return [
    {
      name: "create a bot",
      run: async () => {
        await stage.admin("POST", "/settings", { retry_scale: 0.001, novelty: 7 });
        Object.assign(bot, await stage.admin<Bot>("POST", "/bots", { name: "Shop" }));
        for (const [id, name] of [
          [ANN, "Ann"],
          [BOB, "Bob"],
        ])
          await stage.admin("POST", "/users", { id, name });
        return bot.id;
      },
    },
    {
      name: "create the channel",
      run: async () => {
        await crm.createChannel("viber", { viber_token: bot.token, welcome: "Good day" });
        return crm.status("active", null);
      },
    },
    {
      name: "a customer opens the bot by a link, and is welcomed",
      run: async () => {
        await stage.admin("POST", `${ann(bot)}/opens`, { context: "promo7" });
        const { items } = await stage.admin<{ items: { viber_id: string; message: { text: string } }[] }>(
          "GET",
          `/bots/${bot.id}/sent?method=welcome&count=1`,
        );
        bot.ann.chat_id = items[0]?.viber_id ?? "";
        const heard = await crm.hears({ text: "/start promo7", chatId: bot.ann.chat_id });
        return `${cameFrom(heard, { source: "link", ref: "promo7" })}, ${items[0]?.message.text}`;
      },
    },
    errorStep(crm, "BAD_CONTACT", { send: () => crm.send({ text: "Too early" }) }),
    receiveStep(crm, "the first message", {
      act: () => stage.admin("POST", `${ann(bot)}/messages`, { text: "Hello" }),
      fields: { type: "text", text: "Hello" },
    }),
  ];
}

function sending(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const fileUrl = (mime: string): string => publicUrl(stage, mime);
  return [
    ...sendSteps({ fileUrl }, crm, "delivered"),
    {
      name: "everything is read at once",
      run: async () => {
        const ids = [await crm.send({ text: "One" }), await crm.send({ text: "Two" })];
        for (const id of ids) await crm.become(id, "delivered");
        await stage.admin("POST", `${ann(bot)}/reads`, {});
        const [first] = await Promise.all(ids.map((id) => crm.become(id, "read")));
        return String(first);
      },
    },
  ];
}

/** A link whose host is a name counts as public; Viber accepts no other. */
function publicUrl(stage: Stage, mime: string): string {
  return stage.fileUrl(mime).replace("//127.0.0.1:", "//localhost:");
}

function receiving(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["a picture", { kind: "picture", text: "Look" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["a file", { kind: "file" }, "document"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["a contact", { kind: "contact", phone: "+79001112233", name: "Bob" }, "vcard"],
    ["a place", { kind: "location", latitude: 55.75, longitude: 37.62 }, "geo"],
    ["a link", { kind: "url", url: "https://shop.example/1" }, "text"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => stage.admin("POST", `${ann(bot)}/messages`, message)),
    {
      name: "a callback that comes three times is told once, a forged one never",
      run: async () => {
        await stage.admin("POST", `${ann(bot)}/messages`, { text: "Once" });
        await crm.hears({ text: "Once" });
        const { items } = await stage.admin<{ items: { seq: number }[] }>(
          "GET",
          `/callbacks?owner=${bot.id}&event=message`,
        );
        const seq = items.at(-1)?.seq;
        const repeated = await stage.admin("POST", `/callbacks/${seq}/repeats`, { times: 2 });
        const forged = await stage.admin("POST", `/callbacks/${seq}/forgeries`, {});
        await stage.admin("POST", `${ann(bot)}/messages`, { text: "Next" });
        await crm.hears({ text: "Next" });
        if (crm.hasHeard({ text: "Once" })) throw new Error("it was told again");
        return JSON.stringify([repeated, forged]);
      },
    },
  ];
}

function failing(stage: Stage, crm: Crm, bot: Bot): Step[] {
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  const pdf = { attachment: { url: publicUrl(stage, "application/pdf"), mimetype: "application/pdf" } };
  const fault =
    (effect: object): (() => Promise<unknown>) =>
    () =>
      stage.admin("POST", "/faults", { method: "send_message", ...effect });
  const status = (value: number, status_message?: string) =>
    fault({ status: value, ...(status_message !== undefined && { status_message }) });
  return [
    errorStep(crm, "TOO_LONG_TEXT", { arrange: status(3, "text is too long"), send: hello }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", { arrange: status(3), send: () => crm.send(pdf) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    {
      name: "a file that Viber cannot reach is offered at the service's address",
      run: async () => {
        const id = await crm.send({ attachment: { url: stage.fileUrl("application/pdf") } });
        return String(await crm.become(id, "delivered"));
      },
    },
    errorStep(crm, "GENERAL_ERROR", { arrange: status(23), send: hello }),
    errorStep(crm, "CHANNEL_REJECTED", { arrange: status(9), send: hello }),
    { name: "a channel that was closed is opened again", run: () => reopen(stage, crm, bot) },
    errorStep(crm, "UNKNOWN_ERROR", { arrange: fault({ drop: "after" }), send: hello }),
    {
      name: "a message fails after Viber has taken it",
      run: async () => {
        await stage.admin("POST", "/settings", { auto_receipts: "none" });
        const id = await hello();
        await crm.become(id, "sent");
        await stage.admin("POST", `${ann(bot)}/failures`, { desc: "Media size is too large" });
        const outcome = await crm.become(id, "error", { code: "CONTENT_CONVERSION_ERROR" });
        await stage.admin("POST", "/settings", { auto_receipts: "delivered" });
        return outcome;
      },
    },
    {
      name: "a lost webhook is set again by the next message",
      run: async () => {
        await status(10)();
        return crm.become(await hello(), "sent");
      },
    },
    waitedOutStep(
      crm,
      "a refusal of too many messages to one person",
      fault({ status: 12, times: 2 }),
      "sent",
    ),
    restrictedStep(crm, "unanswered"),
    blockedStep(crm, "a customer who unsubscribes gets nothing", {
      block: () => stage.admin("POST", `${ann(bot)}/unsubscriptions`, {}),
      unblock: () => stage.admin("POST", `${ann(bot)}/subscriptions`, {}),
    }),
  ];
}

/** With the token of a bot that Viber closed and opened again. */
async function reopen(stage: Stage, crm: Crm, bot: Bot): Promise<string> {
  await crm.status("disabled", "blocked");
  crm.forgetStatus();
  const { status } = await stage.api("POST", `/v2/channels/${crm.channelId}/reinit`, {
    credentials: { viber_token: bot.token },
  });
  if (status !== 200) throw new Error(String(status));
  return crm.status("active", null);
}

/** A channel without a token: its owner scans a code, and its customers follow an invitation. */
function sharing(stage: Stage): Step[] {
  const shared: Bot = { id: "", token: "", ann: { chat_type: "viber", chat_id: "" } };
  const crm = new Crm(stage, shared.ann);
  const scan = (user: string, url: string): Promise<{ viber_id: string }> =>
    stage.admin("POST", `/bots/${shared.id}/users/${user}/scans`, { url });
  const place = { claim: "", invitation: "" };
  return [
    {
      name: "create a channel that shares the installation's bot",
      run: async () => {
        Object.assign(shared, await stage.admin("POST", "/bots", { token: SHARED_TOKEN, name: "Everybody" }));
        crm.forgetStatus();
        place.claim = String((await crm.createChannel("viber", {}))["url"]);
        return crm.status("init", "qr");
      },
    },
    {
      name: "its owner scans the code",
      run: async () => {
        await scan(BOB, place.claim);
        await crm.status("active", null);
        const { json } = await stage.api("GET", `/v2/channels/${crm.channelId}`);
        place.invitation = String((json as { data: { url: string }[] }).data[0]?.url);
        return place.invitation;
      },
    },
    {
      name: "a customer comes by the invitation, writes and is answered",
      run: async () => {
        await scan(ANN, place.invitation);
        await stage.admin("GET", `/bots/${shared.id}/sent?method=welcome&user=${ANN}&count=1`);
        await stage.admin("POST", `/bots/${shared.id}/users/${ANN}/messages`, { text: "To Bob" });
        const heard = await crm.hears({ text: "To Bob" });
        shared.ann.chat_id = String(heard["chatId"]);
        return crm.become(await crm.send({ text: "From Bob" }), "delivered");
      },
    },
    errorStep(crm, "BAD_CONTACT", {
      send: () => crm.send({ text: "Stranger" }, { chat_type: "viber", chat_id: "01234567890A=" }),
    }),
    deleteStep(stage, crm),
  ];
}

function ending(stage: Stage, crm: Crm, bot: Bot): Step[] {
  return [
    killStep(stage, crm, {
      hang: () => stage.admin("POST", "/faults", { method: "send_message", hang_ms: 60_000 }),
      arrivals: async (text) => {
        const { items } = await stage.admin<{ items: { message: { text?: string } }[] }>(
          "GET",
          `/bots/${bot.id}/sent?method=send_message`,
        );
        return items.filter(({ message }) => message.text === text).length;
      },
      news: [],
      until: "delivered",
    }),
    moveStep(stage, crm, "delivered"),
    offlineStep(stage, crm, async (text) => {
      await stage.admin("POST", "/settings", { retry_scale: 0.05 });
      await stage.admin("POST", `${ann(bot)}/messages`, { text });
    }),
    revokedStep(crm, "the token is revoked", () => stage.admin("POST", `/bots/${bot.id}/revocations`, {})),
    deleteStep(stage, crm),
  ];
}
