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
  sendStep,
} from "../walk/steps.ts";
import {
  blockedStep,
  connectThroughDialog,
  deleteMessageStep,
  markSteps,
  offlineStep,
  repeatedCallbackStep,
  waitedOutStep,
} from "../walk/talk.ts";

const CLIENT_ID = "walk-client-0000";
const CLIENT_SECRET = "walk-client-secret-0000";
/** The service polls for read marks, and for everything without a webhook, about twice a minute. */
const PATIENCE_MS = 90_000;

/** Avito. It has no edits, no delivery receipts, and no files but pictures. */
const walk: Walk = {
  settings: ({ url }) => ({
    AVITO_API_URL: String(url),
    AVITO_CONSENT_URL: String(url),
    AVITO_CLIENT_ID: CLIENT_ID,
    AVITO_CLIENT_SECRET: CLIENT_SECRET,
    // The emulator reaches the service on loopback, which messengers usually cannot.
    CALLBACKS: "on",
  }),
  steps(stage) {
    const shop: Shop = { account: 0, user: 0, chat: { chat_type: "avito", chat_id: "" } };
    const crm = new Crm(stage, shop.chat);
    return [
      ...connecting(stage, crm, shop),
      ...sending(stage, crm, shop),
      ...receiving(stage, crm, shop),
      ...access(stage, crm, shop),
      ...failing(stage, crm, shop),
      ...callbacks(stage, crm, shop),
      ...ending(stage, crm, shop),
    ];
  },
};
export default walk;

interface Shop {
  account: number;
  user: number;
  readonly chat: { readonly chat_type: string; chat_id: string };
}

const ann = <T>(stage: Stage, { chat }: Shop, action: string, body: object = {}): Promise<T> =>
  stage.admin<T>("POST", `/chats/${chat.chat_id}/${action}`, body);

function connecting(stage: Stage, crm: Crm, shop: Shop): Step[] {
  return [
    {
      name: "create a seller with a listing, and a buyer who has asked about it",
      run: async () => {
        await stage.admin("POST", "/settings", { novelty: 7 });
        const { id } = await stage.admin<{ id: number }>("POST", "/accounts", { name: "Shop" });
        shop.account = id;
        await stage.admin("POST", "/apps", {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uri: `${stage.url}/connect/avito`,
          owner_id: id,
        });
        await stage.admin("POST", "/items", { account_id: id, title: "Mazda 3 2008" });
        shop.user = (await stage.admin<{ id: number }>("POST", "/users", { name: "Ann" })).id;
        const chat = await stage.admin<{ id: string }>("POST", "/chats", {});
        shop.chat.chat_id = chat.id;
        return `account ${id}`;
      },
    },
    {
      name: "create the channel with a one-time code",
      run: async () => {
        const { code } = await stage.admin<{ code: string }>("POST", "/codes", {});
        await crm.createChannel("avito", { code });
        return crm.status("active", null);
      },
    },
    {
      name: "the owner signs in again on the channel's page",
      run: async () => {
        await signIn(stage, crm.channelId);
        return crm.isNow("active", null);
      },
    },
  ];
}

/** Opens the page, continues to Avito, consents there, and returns. */
async function signIn(stage: Stage, channelId: string): Promise<void> {
  const options = { transport: "avito", channel_id: channelId };
  const { status, json } = await stage.api("POST", "/v2/iframe-links/channels", { options });
  const link = (json as { data?: { link?: string } }).data?.link;
  if (link === undefined) throw new Error(`${status} ${JSON.stringify(json)}`);
  await connectThroughDialog(link, async () => {
    const { items } = await stage.admin<{ items: { id: string }[] }>("GET", "/consents");
    const path = `/consents/${items.at(-1)?.id}/completions`;
    return (await stage.admin<{ redirect_url: string }>("POST", path, {})).redirect_url;
  });
}

function sending(stage: Stage, crm: Crm, shop: Shop): Step[] {
  const picture = { attachment: { url: stage.fileUrl("image/jpeg"), mimetype: "image/jpeg" } };
  const ours = { id: "" };
  return [
    sendStep(crm, "text", () => ({ text: "Hello 👋" }), "sent"),
    sendStep(crm, "an image", () => picture, "sent"),
    {
      name: "the buyer reads",
      run: async () => {
        ours.id = await crm.send({ text: "Read this" });
        await crm.become(ours.id, "sent");
        await ann(stage, shop, "reads");
        return crm.become(ours.id, "read", { patienceMs: PATIENCE_MS });
      },
    },
    deleteMessageStep(crm, ours),
  ];
}

function receiving(stage: Stage, crm: Crm, shop: Shop): Step[] {
  const first: readonly Kind[] = [["text", { text: "Good morning" }, "text"]];
  const kinds: readonly Kind[] = [
    ["a picture", { kind: "image" }, "image"],
    ["a voice message", { kind: "voice" }, "audio"],
    ["a link with a preview", { kind: "link", url: "https://shop.example/1" }, "text"],
    ["a listing", { kind: "item" }, "text"],
    ["a place", { kind: "location" }, "geo"],
    ["a missed call", { kind: "call" }, "missing_call"],
    ["a file, which Avito does not give", { kind: "file" }, "unsupported"],
    ["a video, which Avito does not give", { kind: "video" }, "unsupported"],
  ];
  const act = (message: object): Promise<unknown> => ann(stage, shop, "messages", message);
  return [
    ...receiveSteps(crm, first, act),
    receiveStep(crm, "the notice that Avito adds to a first message", {
      act: async () => undefined,
      fields: { type: "text", isEcho: false, isSystem: true },
    }),
    ...receiveSteps(crm, kinds, act),
    ...markSteps(crm, ["read"]),
    receiveStep(crm, "what Avito itself writes", {
      act: () => ann(stage, shop, "system", { text: "Offer a discount" }),
      fields: { type: "text", text: "Offer a discount", isEcho: false, isSystem: true },
    }),
    receiveStep(crm, "what the owner writes on Avito", {
      act: () => ann(stage, shop, "echoes", { text: "From the phone" }),
      fields: { type: "text", text: "From the phone", isEcho: true },
    }),
    {
      name: "receive a quote",
      run: async () => {
        const { message } = await ann<{ message: { id: string } }>(stage, shop, "messages", {
          text: "How much?",
        });
        await crm.hears({ text: "How much?" });
        await ann(stage, shop, "messages", { text: "Well?", reply_to: message.id });
        const { text, contact, advert } = await crm.hears({ text: "Well?" });
        const { name, avitoProfileId } = contact as { name?: string; avitoProfileId?: string };
        const { title } = advert as { title?: string };
        if (avitoProfileId !== String(shop.user)) throw new Error(`from ${avitoProfileId}`);
        return `${text}, from ${name}, about ${title}`;
      },
    },
    {
      name: "the buyer deletes",
      run: async () => {
        await stage.admin("POST", "/settings", { tell_deletions: true });
        const { message } = await ann<{ message: { id: string } }>(stage, shop, "messages", { text: "Oops" });
        await crm.hears({ text: "Oops" });
        await ann(stage, shop, "deletions", { message_id: message.id });
        await crm.hears({ text: "Oops", isDeleted: true });
        return "gone";
      },
    },
  ];
}

function access(stage: Stage, crm: Crm, shop: Shop): Step[] {
  return ["401", "403"].map((form) => ({
    name: `the access token expires, and is refused with ${form}`,
    run: async () => {
      await stage.admin("POST", "/settings", { expired_tokens: form });
      await stage.admin("POST", "/tokens/expirations", {});
      await crm.become(await crm.send({ text: "With a new token" }), "sent");
      const { items } = await stage.admin<{ items: { request: { grant_type?: string } }[] }>(
        "GET",
        "/calls?call=/token&limit=100",
      );
      const renewals = items.filter(({ request }) => request.grant_type === "refresh_token").length;
      if (renewals === 0) throw new Error("no token was renewed");
      return `renewed ${renewals} times, account ${shop.account}`;
    },
  }));
}

function failing(stage: Stage, crm: Crm, shop: Shop): Step[] {
  const fault =
    (fields: object, call = "messages") =>
    () =>
      stage.admin("POST", "/faults", { method: "POST", call, ...fields });
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  const picture = { attachment: { url: stage.fileUrl("image/jpeg"), mimetype: "image/jpeg" } };
  return [
    errorStep(crm, "BAD_CONTACT", {
      send: () => crm.send({ text: "Hello" }, { chat_type: "avito", chat_id: "u2i-nowhere" }),
    }),
    blockedStep(crm, "the buyer blocks the account: error BAD_CONTACT", {
      block: () => ann(stage, shop, "blocks"),
      unblock: () => ann(stage, shop, "unblocks"),
    }),
    errorStep(crm, "TOO_LONG_TEXT", { send: () => crm.send({ text: "x".repeat(1001) }) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", {
      arrange: fault({ error_code: 400, message: "unsupported image format" }, "uploadImages"),
      send: () => crm.send(picture),
    }),
    errorStep(crm, "GENERAL_ERROR", {
      arrange: fault({ error_code: 400, message: "something new" }),
      send: hello,
    }),
    errorStep(crm, "UNKNOWN_ERROR", { arrange: fault({ drop: "after" }), send: hello }),
    waitedOutStep(crm, "a rate limit", fault({ error_code: 429, retry_after: 1 }), "sent"),
    {
      name: "the subscription does not include the messenger: error GENERAL_ERROR",
      run: async () => {
        await stage.admin("POST", `/accounts/${shop.account}/levels`, { paid: false });
        const outcome = await crm.become(await hello(), "error", { code: "GENERAL_ERROR" });
        await stage.admin("POST", `/accounts/${shop.account}/levels`, { paid: true });
        return `${outcome}, then ${await crm.become(await hello(), "sent")}`;
      },
    },
  ];
}

function callbacks(stage: Stage, crm: Crm, shop: Shop): Step[] {
  return [
    repeatedCallbackStep(stage, crm, (text) => ann(stage, shop, "messages", { text })),
    {
      name: "a callback to a guessed address",
      run: async () => {
        const url = `${stage.url}/in/avito/${crm.channelId}/${"0".repeat(64)}`;
        const answer = await fetch(url, { method: "POST", body: "{}" });
        if (answer.ok) throw new Error("it was accepted");
        return `refused with ${answer.status}`;
      },
    },
  ];
}

function ending(stage: Stage, crm: Crm, shop: Shop): Step[] {
  return [
    killStep(stage, crm, {
      hang: () => stage.admin("POST", "/faults", { method: "POST", call: "messages", hang_ms: 60_000 }),
      arrivals: async (text) => {
        const { items } = await stage.admin<{ items: { message: { content?: { text?: string } } | null }[] }>(
          "GET",
          `/accounts/${shop.account}/sent?type=text&limit=1000`,
        );
        return items.filter(({ message }) => message?.content?.text === text).length;
      },
      news: [],
      until: "sent",
    }),
    moveStep(stage, crm, "sent"),
    offlineStep(stage, crm, (text) => ann(stage, shop, "messages", { text })),
    {
      name: "the owner takes the access away",
      run: async () => {
        await stage.admin("POST", "/tokens/revocations", { account_id: shop.account });
        await crm.send({ text: "Nobody takes this" }).catch(() => undefined);
        return crm.isNow("disabled", "unauthorized");
      },
    },
    deleteStep(stage, crm),
  ];
}
