import type { Step, Walk } from "../walk/contract.ts";
import { Crm } from "../walk/crm.ts";
import { comeBack, openDialog } from "../walk/page.ts";
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
import { markSteps, reactionSteps, referralStep } from "../walk/talk.ts";
import { hostSettings } from "./hosts.ts";

const APP_ID = "900000000000777";
const SECRET = "secret-of-the-walk";
const VERIFY_TOKEN = "walk";
const ACCOUNT = "17841400000000777";
const PERSON = "4711";
const COMMENTER = "4712";
const DAY_S = 86_400;

/**
 * A professional account of Instagram. The business can neither edit nor delete messages, and only reading is
 * reported.
 */
const walk: Walk = {
  settings: ({ url }) => ({
    ...hostSettings(String(url)),
    INSTAGRAM_APP_ID: APP_ID,
    INSTAGRAM_APP_SECRET: SECRET,
    INSTAGRAM_VERIFY_TOKEN: VERIFY_TOKEN,
  }),
  steps(stage) {
    const crm = new Crm(stage, { chat_type: "instagram", chat_id: "ann" });
    return [
      ...connecting(stage, crm),
      renewing(stage, crm),
      ...receiving(stage, crm),
      ...sending(stage, crm),
      ...changing(stage, crm),
      ...commenting(stage, crm),
      ...failing(stage, crm),
      ...callbacks(stage, crm),
      ...ending(stage, crm),
    ];
  },
};
export default walk;

const person = (stage: Stage, action: string, body: object = {}, id = PERSON): Promise<unknown> =>
  stage.admin("POST", `/accounts/${ACCOUNT}/users/${id}/${action}`, body);

function connecting(stage: Stage, crm: Crm): Step[] {
  const link = { url: "" };
  return [
    {
      name: "create an account with a post, and two people",
      run: async () => {
        await stage.admin("POST", "/settings", { retry_scale: 0.01, novelty: 7 });
        await stage.admin("POST", "/apps", { id: APP_ID, secret: SECRET });
        await stage.admin("POST", "/accounts", { id: ACCOUNT, username: "shop", name: "Shop" });
        await stage.admin("POST", `/accounts/${ACCOUNT}/media`, { caption: "New!" });
        await stage.admin("POST", "/users", { id: PERSON, username: "ann", name: "Ann" });
        await stage.admin("POST", "/users", { id: COMMENTER, username: "carl", name: "Carl" });
        await stage.admin("POST", `/apps/${APP_ID}/subscriptions`, {
          callback_url: `${stage.url}/in/instagram`,
          verify_token: VERIFY_TOKEN,
        });
        return "shop";
      },
    },
    {
      name: "create the channel",
      run: async () => {
        link.url = String((await crm.createChannel("instagram", {}))["url"]);
        return link.url;
      },
    },
    {
      name: "the owner signs in on its page",
      run: async () => {
        await signIn(stage, link.url);
        return crm.status("active", null);
      },
    },
  ];
}

/** Opens the page, continues to Instagram's dialog, consents there, and returns. */
async function signIn(stage: Stage, url: string): Promise<void> {
  await openDialog(url);
  const { items } = await stage.admin<{ items: { id: string }[] }>("GET", "/authorizations");
  const { redirect_url: back } = await stage.admin<{ redirect_url: string }>(
    "POST",
    `/authorizations/${items.at(-1)?.id}/completions`,
    { account_id: ACCOUNT },
  );
  await comeBack(back);
}

/** The connector does not know the expiry of a token that was supplied by hand, and renews it at once. */
function renewing(stage: Stage, crm: Crm): Step {
  return {
    name: "a token that was given by hand is renewed, and the new one is used",
    run: async () => {
      const granted = { kind: "instagram", account_ids: [ACCOUNT] };
      const { token } = await stage.admin<{ token: string }>("POST", "/tokens", granted);
      // Younger tokens are refused.
      await stage.admin("POST", "/time", { advance_seconds: DAY_S + 3_600 });
      const reinit = { credentials: { user_token: token } };
      const { status, json } = await stage.api("POST", `/v2/channels/${crm.channelId}/reinit`, reinit);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
      const renewal = "/calls?node=refresh_access_token&refused=false&count=1";
      const { complete } = await stage.admin<{ complete: boolean }>("GET", renewal);
      if (!complete) throw new Error("nobody asked for a new token");
      await crm.isNow("active", null);
      await person(stage, "messages", { text: "Hello" });
      await crm.hears({ text: "Hello" });
      await crm.become(await crm.send({ text: "With either token" }), "sent");
      await stage.admin("POST", "/tokens/expirations", { token });
      return crm.become(await crm.send({ text: "With the new token" }), "sent");
    },
  };
}

interface Reacted {
  readonly mid: string;
  readonly own_reaction: string | null;
}

function receiving(stage: Stage, crm: Crm): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["a picture", { kind: "image" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["audio", { kind: "audio" }, "audio"],
    ["a file", { kind: "file" }, "document"],
    ["a reel", { kind: "ig_reel" }, "video"],
    ["a shared story", { kind: "ig_story" }, "image"],
    ["a question about a product", { kind: "product" }, "text"],
    ["a mention in a story", { kind: "story_mention" }, "image"],
    ["an answer to a story", { kind: "story_reply" }, "text"],
    ["a shared post", { kind: "share" }, "text"],
    ["a heart", { kind: "like_heart" }, "text"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => person(stage, "messages", message)),
    ...markSteps(crm, ["read", "typing"]),
    receiveStep(crm, "what the owner writes in the app", {
      act: () => stage.admin("POST", `/accounts/${ACCOUNT}/echoes`, { user_id: PERSON, text: "By hand" }),
      fields: { text: "By hand", isEcho: true },
    }),
  ];
}

function sending(stage: Stage, crm: Crm): Step[] {
  const files = [
    ["an image", "image/jpeg"],
    ["a video", "video/mp4"],
    ["a document", "application/pdf"],
  ] as const;
  return [
    sendStep(crm, "text", () => ({ text: "Hello 👋" }), "sent"),
    ...files.map(([name, mimetype]) =>
      sendStep(crm, name, () => ({ attachment: { url: stage.fileUrl(mimetype), mimetype } }), "sent"),
    ),
    {
      name: "the customer reads",
      run: async () => {
        const id = await crm.send({ text: "Read this" });
        await crm.become(id, "sent");
        await person(stage, "reads");
        return crm.become(id, "read");
      },
    },
  ];
}

function changing(stage: Stage, crm: Crm): Step[] {
  const theirs = { mid: "" };
  return [
    {
      name: "the customer edits",
      run: async () => {
        const { message } = (await person(stage, "messages", { text: "Tow" })) as {
          message: { mid: string };
        };
        theirs.mid = message.mid;
        await crm.hears({ text: "Tow" });
        await person(stage, "edits", { message_id: theirs.mid, text: "Two" });
        const { oldInfo } = await crm.hears({ text: "Two", isEdited: true });
        return `was ${(oldInfo as { oldText?: string }).oldText}`;
      },
    },
    {
      name: "an edit that arrives before its message is told with it",
      run: async () => {
        await stage.admin("POST", "/callbacks/holds");
        const { message } = (await person(stage, "messages", { text: "Threo" })) as {
          message: { mid: string };
        };
        await person(stage, "edits", { message_id: message.mid, text: "Three" });
        const { items } = await stage.admin<{ items: unknown[] }>("GET", "/callbacks/holds");
        const pick = items.map((_, index) => index + 1).toReversed();
        await stage.admin("POST", "/callbacks/releases", { pick });
        const { isEdited } = await crm.hears({ text: "Three" });
        if (crm.hasHeard({ text: "Threo" })) throw new Error("the words before the edit were told");
        return `isEdited ${isEdited}`;
      },
    },
    {
      name: "the customer unsends",
      run: async () => {
        await person(stage, "unsends", { message_id: theirs.mid });
        const { text } = await crm.hears({ text: "Two", isDeleted: true });
        return `${text} is gone`;
      },
    },
    ...reactionSteps(stage, crm, {
      write: async (text) => (await person(stage, "messages", { text })) as { message: { mid: string } },
      react: ({ message: { mid } }, emoji) =>
        person(stage, "reactions", { message_id: mid, ...(emoji !== null && { emoji }) }),
      seen: async ({ message: { mid } }) => {
        const path = `/accounts/${ACCOUNT}/users/${PERSON}/messages`;
        const { items } = await stage.admin<{ items: Reacted[] }>("GET", path);
        return items.filter((each) => each.mid === mid && each.own_reaction !== null);
      },
      emoji: "❤️",
    }),
    referralStep(crm, () => person(stage, "referrals", { ref: "promo7" }), {
      text: "/start promo7",
      source: "link",
      ref: "promo7",
    }),
    {
      name: "edit and delete a message, which Instagram does not know",
      run: async () => {
        const id = await crm.send({ text: "As it is" });
        await crm.become(id, "sent");
        const refusals = await Promise.all([
          crm.change("PATCH", id, { text: "Otherwise" }).catch(String),
          crm.change("DELETE", id).catch(String),
        ]);
        if (refusals.includes("200")) throw new Error("it was accepted");
        return refusals.join(", ");
      },
    },
  ];
}

function commenting(stage: Stage, crm: Crm): Step[] {
  const carl = { chat_type: "instagram", chat_id: "carl" };
  const comment = { id: "" };
  return [
    {
      name: "a comment on a post",
      run: async () => {
        await person(stage, "comments", { text: "price?" }, COMMENTER);
        const { messageId, instPost } = await crm.hears({ text: "price?", chatId: "carl" });
        comment.id = String(messageId);
        return String((instPost as { description?: string } | undefined)?.description);
      },
    },
    {
      name: "a public reply",
      run: async () =>
        crm.become(await crm.send({ text: "Ten", quoted_message_id: comment.id }, carl), "sent"),
    },
    {
      name: "a private reply",
      run: async () => crm.become(await crm.send({ text: "For you, nine" }, carl), "sent"),
    },
    {
      name: "a second private reply is refused",
      run: async () => crm.become(await crm.send({ text: "Eight?" }, carl), "error"),
    },
  ];
}

function failing(stage: Stage, crm: Crm): Step[] {
  const hello = (): Promise<string> => crm.send({ text: "hello" });
  const pdf = { url: stage.fileUrl("application/pdf"), mimetype: "application/pdf" };
  const fault = (fields: object) => () => stage.admin("POST", "/faults", { edge: "messages", ...fields });
  const refusal = (code: string, error_code: number, more: object = {}): Step =>
    errorStep(crm, code, { arrange: fault({ error_code, ...more }), send: hello });
  return [
    errorStep(crm, "CHATID_IGSID_MISMATCH", { arrange: () => person(stage, "blocks"), send: hello }),
    errorStep(crm, "7_DAYS_EXCEEDED", {
      arrange: async () => {
        await person(stage, "unblocks");
        await stage.admin("POST", "/time", { advance_seconds: 8 * DAY_S });
      },
      send: hello,
    }),
    receiveStep(crm, "what opens the window again", {
      act: () => person(stage, "messages", { text: "I am back" }),
      fields: { text: "I am back" },
    }),
    errorStep(crm, "TOO_LONG_TEXT", { send: () => crm.send({ text: "x".repeat(1_001) }) }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", {
      arrange: fault({ error_code: 100, error_subcode: 2018008 }),
      send: () => crm.send({ attachment: pdf }),
    }),
    errorStep(crm, "WRONG_CONTENT", {
      arrange: fault({ error_code: 100, error_subcode: 2018047 }),
      send: () => crm.send({ attachment: pdf }),
    }),
    refusal("BAD_CONTACT", 100, { error_subcode: 2534001 }),
    refusal("BAD_LINK", 100, { message: "Message cannot contain more than 1 link" }),
    refusal("MENTION_FORBIDDEN", 100, { message: "This user cannot be mentioned" }),
    refusal("SPAM", 368),
    refusal("GENERAL_ERROR", 100, { message: "Something new" }),
    errorStep(crm, "UNKNOWN_ERROR", { arrange: fault({ drop: "after" }), send: hello }),
    {
      name: "Instagram is out of order for a moment",
      run: async () => {
        await fault({ error_code: 2 })();
        return crm.become(await hello(), "sent");
      },
    },
  ];
}

function callbacks(stage: Stage, crm: Crm): Step[] {
  const forged = async (proof: object): Promise<number> => {
    const { items } = await stage.admin<{ items: { seq: number }[] }>("GET", "/callbacks?event=messages");
    const path = `/callbacks/${items.at(-1)?.seq}/forgeries`;
    return (await stage.admin<{ status: number }>("POST", path, proof)).status;
  };
  return [
    {
      name: "the same callback comes three times",
      run: async () => {
        await stage.admin("POST", "/settings", { deliveries: 3 });
        await person(stage, "messages", { text: "Only once" });
        await crm.hears({ text: "Only once" });
        await stage.admin("POST", "/settings", { deliveries: 1 });
        await person(stage, "messages", { text: "The next" });
        await crm.hears({ text: "The next" });
        if (crm.hasHeard({ text: "Only once" })) throw new Error("it was told twice");
        return "told once";
      },
    },
    {
      name: "forged callbacks: without a signature, and with another secret",
      run: async () => {
        const statuses = [await forged({}), await forged({ secret: "of somebody else" })];
        if (statuses.some((status) => status < 400)) throw new Error(`taken: ${statuses.join(", ")}`);
        return `refused with ${statuses.join(", ")}`;
      },
    },
  ];
}

function ending(stage: Stage, crm: Crm): Step[] {
  return [
    killStep(stage, crm, {
      hang: () => stage.admin("POST", "/faults", { edge: "messages", hang_ms: 60_000 }),
      arrivals: async (text) => {
        const { items } = await stage.admin<{ items: { request: { message?: { text?: string } } }[] }>(
          "GET",
          `/accounts/${ACCOUNT}/sent?limit=1000`,
        );
        return items.filter(({ request }) => request.message?.text === text).length;
      },
      news: ["sent"],
      until: "sent",
    }),
    moveStep(stage, crm, "sent"),
    {
      name: "what was written while nobody listened comes afterwards",
      run: async () => {
        await stage.service.kill();
        await person(stage, "messages", { text: "Anybody there?" });
        stage.service = await stage.startNode();
        return String((await crm.hears({ text: "Anybody there?" }))["text"]);
      },
    },
    {
      name: "the owner takes the access away",
      run: async () => {
        await stage.admin("POST", "/tokens/expirations", { reason: "app" });
        // The connector may already have detected it.
        await crm.send({ text: "Nobody takes this" }).catch(() => undefined);
        return crm.isNow("disabled", "unauthorized");
      },
    },
    deleteStep(stage, crm),
  ];
}
