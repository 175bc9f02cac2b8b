import { Crm } from "../walk/crm.ts";
import type { Stage } from "../walk/stage.ts";
import type { Step, Walk } from "../walk/step.ts";
import { deleteStep, errorStep, type Kind, receiveStep, receiveSteps, sendStep } from "../walk/steps.ts";

const APP_ID = "900000000000777";
const SECRET = "secret-of-the-walk";
const VERIFY_TOKEN = "walk";
const ACCOUNT = "17841400000000777";
const PERSON = "4711";
const COMMENTER = "4712";
const DAY_S = 86_400;

/** A professional account of Instagram. It knows neither editing nor deleting by the business, and tells of reading only. */
const walk: Walk = {
  settings: ({ url }) => ({
    INSTAGRAM_GRAPH_URL: `${url}/graph.instagram.com`,
    INSTAGRAM_PAGE_GRAPH_URL: String(url),
    INSTAGRAM_DIALOG_URL: `${url}/www.instagram.com`,
    INSTAGRAM_CODE_URL: `${url}/api.instagram.com`,
    INSTAGRAM_APP_ID: APP_ID,
    INSTAGRAM_APP_SECRET: SECRET,
    INSTAGRAM_VERIFY_TOKEN: VERIFY_TOKEN,
  }),
  steps(stage) {
    const crm = new Crm(stage, { chat_type: "instagram", chat_id: "ann" });
    return [
      ...connecting(stage, crm),
      ...receiving(stage, crm),
      ...sending(stage, crm),
      ...commenting(stage, crm),
      ...failing(stage, crm),
      deleteStep(stage, crm),
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
        await stage.admin("POST", "/settings", { retry_scale: 0.01 });
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

/** Opens the page, goes on to Instagram's dialog, agrees there, and comes back. */
async function signIn(stage: Stage, url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const dialog = /class="button" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  if (dialog === undefined) throw new Error("the page leads nowhere");
  await fetch(dialog);
  const { items } = await stage.admin<{ items: { id: string }[] }>("GET", "/authorizations");
  const { redirect_url: back } = await stage.admin<{ redirect_url: string }>(
    "POST",
    `/authorizations/${items.at(-1)?.id}/completions`,
    { account_id: ACCOUNT },
  );
  const answer = await fetch(back);
  if (!answer.ok) throw new Error(`the way back answers ${answer.status}`);
}

function receiving(stage: Stage, crm: Crm): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["a picture", { kind: "image" }, "image"],
    ["a video", { kind: "video" }, "video"],
    ["audio", { kind: "audio" }, "audio"],
    ["a file", { kind: "file" }, "document"],
    ["a reel", { kind: "ig_reel" }, "video"],
    ["a mention in a story", { kind: "story_mention" }, "image"],
    ["an answer to a story", { kind: "story_reply" }, "text"],
    ["a shared post", { kind: "share" }, "text"],
    ["a heart", { kind: "like_heart" }, "text"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => person(stage, "messages", message)),
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
  return [
    errorStep(crm, "CHATID_IGSID_MISMATCH", {
      arrange: () => person(stage, "blocks"),
      send: () => crm.send({ text: "hello" }),
    }),
    errorStep(crm, "7_DAYS_EXCEEDED", {
      arrange: async () => {
        await person(stage, "unblocks");
        await stage.admin("POST", "/time", { advance_seconds: 8 * DAY_S });
      },
      send: () => crm.send({ text: "hello" }),
    }),
  ];
}
