import type { Step, Walk } from "../walk/contract.ts";
import { Crm } from "../walk/crm.ts";
import { ownGroupSteps } from "../walk/own-groups.ts";
import type { Stage } from "../walk/stage.ts";
import {
  crashInSend,
  deleteStep,
  errorStep,
  type Kind,
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
  offlineStep,
  quoteStep,
  reactionSteps,
  referralStep,
  revokedStep,
  waitedOutStep,
} from "../walk/talk.ts";

const PERSON = 4711;
const STRANGER = 4712;
const OWNER = 100;

/** Communities of VK. VK reports reading, but neither delivery nor a customer's deletions. */
const walk: Walk = {
  settings: ({ url }) => ({ VK_API_URL: String(url), VK_OAUTH_URL: String(url) }),
  steps(stage) {
    const community: Community = { id: 0, key: "" };
    const crm = new Crm(stage, { chat_type: "vk", chat_id: String(PERSON) });
    return [
      ...connecting(stage, crm, community),
      ...sending(stage, crm, community),
      ...receiving(stage, crm, community),
      ...changing(stage, crm, community),
      ...amongSeveral(stage, crm, community),
      ...ownGroupSteps(stage, crm, {
        chatType: "vk",
        first: { chat_id: String(PERSON) },
        second: { chat_id: String(STRANGER) },
        pictureType: "image/png",
        can: ["picture"],
      }),
      ...failing(stage, crm, community),
      ...ending(stage, crm, community),
    ];
  },
};
export default walk;

interface Community {
  id: number;
  key: string;
}

const at = ({ id }: Community): string => `/communities/${id}`;
const person = (community: Community): string => `${at(community)}/users/${PERSON}`;

/** The number of 🔥. */
const FIRE = 2;

interface Stored {
  readonly conversation_message_id: number;
  readonly reactions?: readonly object[];
}

interface Written {
  readonly message: { readonly conversation_message_id: number };
}

const write = (stage: Stage, community: Community, message: object): Promise<Written> =>
  stage.admin("POST", `${person(community)}/messages`, message);

function connecting(stage: Stage, crm: Crm, community: Community): Step[] {
  return [
    {
      name: "create a community, its key and a customer",
      run: async () => {
        await stage.admin("POST", "/settings", { retry_scale: 0.001, novelty: 7 });
        await stage.admin("POST", "/users", { id: OWNER, first_name: "Olga" });
        await stage.admin("POST", "/users", { id: PERSON, first_name: "Ann" });
        const { id } = await stage.admin<{ id: number }>("POST", "/communities", { owner_id: OWNER });
        const { token } = await stage.admin<{ token: string }>("POST", "/tokens", { group_id: id });
        Object.assign(community, { id, key: token });
        return `community ${id}`;
      },
    },
    {
      name: "connect the channel on its page",
      run: async () => {
        const opening = { options: { transport: "vk" } };
        const { json } = await stage.api("POST", "/v2/iframe-links/channels", opening);
        await crm.connectOnPage((json as { data: { link: string } }).data.link, "vk", {
          access_token: community.key,
        });
        return crm.status("active", null);
      },
    },
  ];
}

function sending(stage: Stage, crm: Crm, community: Community): Step[] {
  const buttons = [
    { text: "Yes", callback_data: "yes" },
    { text: "Site", url: "https://shop.example/" },
  ];
  return [
    {
      name: "the customer allows messages",
      run: async () => {
        await stage.admin("POST", `${person(community)}/messages`, { text: "Hello" });
        return String((await crm.hears({ text: "Hello" }))["text"]);
      },
    },
    ...sendSteps(stage, crm, "sent"),
    quoteStep(crm, "sent", { write: (text) => write(stage, community, { text }) }),
    sendStep(
      crm,
      "inline buttons",
      () => ({ text: "Shall we?", keyboard: { reply_markup: "inline", buttons } }),
      "sent",
    ),
    receiveStep(crm, "a press of a button", {
      act: () => stage.admin("POST", `${person(community)}/presses`, { label: "Yes" }),
      fields: { type: "text", text: "Yes" },
    }),
    sendStep(
      crm,
      "a keyboard",
      () => ({ text: "Choose", keyboard: { reply_markup: "reply", buttons: [{ text: "Later" }] } }),
      "sent",
    ),
    sendStep(crm, "no keyboard", () => ({ text: "Gone", keyboard: { remove_keyboard: true } }), "sent"),
    {
      name: "the customer reads",
      run: async () => {
        const id = await crm.send({ text: "Read me" });
        await crm.become(id, "sent");
        await stage.admin("POST", `${person(community)}/reads`, {});
        return crm.become(id, "read");
      },
    },
  ];
}

function receiving(stage: Stage, crm: Crm, community: Community): Step[] {
  const kinds: readonly Kind[] = [
    ["text", { text: "Good morning" }, "text"],
    ["a photo", { kind: "photo" }, "image"],
    ["a document", { kind: "doc" }, "document"],
    ["a voice message", { kind: "audio_message" }, "audio"],
    ["audio", { kind: "audio" }, "audio"],
    ["a video, as a link", { kind: "video" }, "text"],
    ["a sticker", { kind: "sticker" }, "image"],
    ["graffiti", { kind: "graffiti" }, "image"],
    ["a place", { kind: "geo", latitude: 55.75, longitude: 37.62 }, "geo"],
    ["a link", { kind: "link" }, "text"],
    ["a post, as a link", { kind: "wall" }, "text"],
    ["goods, as a link", { kind: "market" }, "text"],
    ["a poll", { kind: "poll" }, "unsupported"],
    ["a missed call", { kind: "call", state: "canceled_by_initiator" }, "missing_call"],
  ];
  return [
    ...receiveSteps(crm, kinds, (message) => write(stage, community, message)),
    ...markSteps(crm, ["read", "typing"]),
  ];
}

function changing(stage: Stage, crm: Crm, community: Community): Step[] {
  return [
    ...changeSteps(crm),
    editedStep(
      crm,
      (text) => write(stage, community, { text }),
      ({ message: { conversation_message_id } }, text) =>
        stage.admin("POST", `${person(community)}/edits`, { conversation_message_id, text }),
    ),
    ...reactionSteps(stage, crm, {
      write: (text) => write(stage, community, { text }),
      react: ({ message: { conversation_message_id } }, emoji) =>
        stage.admin("POST", `${person(community)}/reactions`, {
          conversation_message_id,
          ...(emoji !== null && { reaction_id: FIRE }),
        }),
      seen: async ({ message: { conversation_message_id } }) => {
        const { items } = await stage.admin<{ items: Stored[] }>("GET", `${person(community)}/messages`);
        const found = items.find((each) => each.conversation_message_id === conversation_message_id);
        return found?.reactions ?? [];
      },
    }),
    referralStep(
      crm,
      () => write(stage, community, { text: "From your site", ref: "promo7", ref_source: "site" }),
      {
        text: "From your site",
        source: "link",
        ref: "promo7",
      },
    ),
    {
      name: "somebody answers on VK's own page",
      run: async () => {
        const reply = { peer_id: PERSON, admin_author_id: OWNER, text: "By hand" };
        await stage.admin("POST", `${at(community)}/replies`, reply);
        const { isEcho } = await crm.hears({ text: "By hand" });
        return `isEcho ${isEcho}`;
      },
    },
  ];
}

function amongSeveral(stage: Stage, crm: Crm, community: Community): Step[] {
  return [
    {
      name: "write and answer in a conversation of several people",
      run: async () => {
        const made = { title: "Team", user_ids: [PERSON] };
        const { peer_id } = await stage.admin<{ peer_id: number }>("POST", `${at(community)}/chats`, made);
        const written = { user_id: PERSON, text: "Among us" };
        await stage.admin("POST", `${at(community)}/chats/${peer_id}/messages`, written);
        await crm.hears({ text: "Among us", chatId: String(peer_id) });
        const to = { chat_type: "vk", chat_id: String(peer_id) };
        return crm.become(await crm.send({ text: "And the community" }, to), "sent");
      },
    },
  ];
}

function failing(stage: Stage, crm: Crm, community: Community): Step[] {
  const fault =
    (error_code: number, description = "") =>
    () =>
      stage.admin("POST", "/faults", {
        group_id: community.id,
        method: "messages.send",
        error_code,
        description,
      });
  const hello = (): Promise<string> => crm.send({ text: "Hello" });
  return [
    errorStep(crm, "BAD_CONTACT", {
      arrange: () => stage.admin("POST", "/users", { id: STRANGER, first_name: "Bob" }),
      send: () => crm.send({ text: "Hello" }, { chat_type: "vk", chat_id: String(STRANGER) }),
    }),
    errorStep(crm, "TOO_LONG_TEXT", { arrange: fault(914), send: hello }),
    errorStep(crm, "TOO_BIG_CONTENT", {
      send: () => crm.send({ attachment: { url: stage.fileUrl("big") } }),
    }),
    errorStep(crm, "CONTENT_CONVERSION_ERROR", { arrange: fault(100, "attachment is invalid"), send: hello }),
    errorStep(crm, "SPAM", { arrange: fault(14), send: hello }),
    errorStep(crm, "GENERAL_ERROR", { arrange: fault(911), send: hello }),
    waitedOutStep(crm, "flood control", fault(6), "sent"),
    {
      name: "a send whose answer is lost is repeated, and arrives once",
      run: async () => {
        await stage.admin("POST", "/faults", { method: "messages.send", drop: "after" });
        const text = "Once, however often";
        const status = await crm.become(await crm.send({ text }), "sent");
        const times = await arrivals(stage, community, text);
        if (times !== 1) throw new Error(`it arrived ${times} times`);
        return status;
      },
    },
  ];
}

async function arrivals(stage: Stage, community: Community, text: string): Promise<number> {
  const { items } = await stage.admin<{ items: { message?: { text?: string } }[] }>(
    "GET",
    `${at(community)}/sent?method=messages.send`,
  );
  return items.filter(({ message }) => message?.text === text).length;
}

function ending(stage: Stage, crm: Crm, community: Community): Step[] {
  return [
    blockedStep(crm, "the customer denies messages", {
      block: () => stage.admin("POST", `${person(community)}/denials`, {}),
      unblock: () => stage.admin("POST", `${person(community)}/allowances`, {}),
    }),
    {
      name: "the node is killed in the middle of a send, which arrives once",
      run: async () => {
        const text = "Through the crash";
        const hang = () => stage.admin("POST", "/faults", { method: "messages.send", hang_ms: 60_000 });
        const id = await crashInSend(stage, hang, () => crm.send({ text }));
        const status = await crm.become(id, "sent");
        const times = await arrivals(stage, community, text);
        if (times !== 1) throw new Error(`it arrived ${times} times`);
        return status;
      },
    },
    moveStep(stage, crm, "sent"),
    offlineStep(stage, crm, (text) => write(stage, community, { text })),
    {
      name: "also where VK has forgotten the events",
      run: async () => {
        await stage.service.kill();
        await stage.admin("POST", `${person(community)}/messages`, { text: "And now?" });
        await stage.admin("POST", `${at(community)}/long_poll_failures`, { failed: 3 });
        stage.service = await stage.startNode();
        return String((await crm.hears({ text: "And now?" }))["text"]);
      },
    },
    revokedStep(crm, "the key is revoked", () =>
      stage.admin("POST", "/tokens/revocations", { token: community.key }),
    ),
    deleteStep(stage, crm),
  ];
}
