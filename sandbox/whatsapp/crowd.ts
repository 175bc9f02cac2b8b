import { createChannel, linkChannel } from "../crowd/channel.ts";
import type { Chat, CrowdStage, Messenger } from "../crowd/contract.ts";
import { Lines } from "../crowd/lines.ts";

interface Shown {
  readonly message_id: string;
  readonly text: string;
}

const FIRST_PHONE = 79_995_000_000;
/** How long a phone waits for the device that shows its code. */
const LINKING_MS = 60_000;

/**
 * Phones whose linked devices lose their connection or are silent for a while and then receive everything at once.
 * Every other person writes under the hidden id. Ids are repeated, and two people may use the same id.
 */
const messenger: Messenger = {
  settings: ({ settings }) => settings as Record<string, string>,
  async gather(stage) {
    const { admin } = stage;
    const phones = new Map<string, string>();
    const hidden = new Set<string>();
    const written = new Map<Chat, Shown>();
    const counts = new Map<Chat, number>();
    let people = 0;
    const lines = new Lines(stage, "devices/any");
    const addPhone = async (name: string): Promise<string> => {
      const phone = String(FIRST_PHONE + ++people);
      await admin("POST", "/people", { phone, name });
      return phone;
    };
    const phoneOf = ({ channelId }: Chat): string => phones.get(channelId) ?? "";
    const conversation = (chat: Chat): Promise<readonly Shown[]> =>
      listOf(stage, `/people/${chat.chatId}/chats/${phoneOf(chat)}/messages`);
    const write = (chat: Chat, content: Shown): Promise<unknown> =>
      admin("POST", `/people/${chat.chatId}/messages`, {
        to: phoneOf(chat),
        addressing: hidden.has(chat.chatId) ? "lid" : "pn",
        ...content,
      });
    return {
      chatType: "whatsapp",
      acts: ["write", "echo", "repeat"],
      async addChannel() {
        const phone = await addPhone("Shop");
        const { id } = await createChannel(stage, "whatsapp", {});
        phones.set(id, phone);
        return linkChannel(stage, id, () => enterCode(stage, id, phone));
      },
      async addPerson() {
        const phone = await addPhone(`Person ${people}`);
        if (people % 2 === 0) hidden.add(phone);
        return [...phones.keys()].map((channelId) => ({ channelId, chatId: phone }));
      },
      begin: async () => lines.begin(),
      act(chat, act, text) {
        if (act === "echo")
          return admin("POST", `/people/${phoneOf(chat)}/messages`, { to: chat.chatId, text });
        const content = (act === "repeat" ? written.get(chat) : undefined) ?? nextOf(counts, chat, text);
        written.set(chat, content);
        return write(chat, content);
      },
      jolt: (dice) => lines.jolt([...phones.values()], dice),
      end: () => lines.end(),
      seen: async (chat) => (await conversation(chat)).map(({ text }) => text),
      // A phone may request a message again.
      async taken(chat) {
        const texts = new Map((await conversation(chat)).map(({ message_id: id, text }) => [id, text]));
        const ids = await sentIds(stage, phoneOf(chat), chat.chatId);
        return [...ids].map((id) => texts.get(id) ?? `${id} is not shown`);
      },
      trace: (chat) => traceOf(stage, phoneOf(chat), chat.chatId),
    };
  },
};
export default messenger;

async function listOf<Item>({ admin }: CrowdStage, path: string): Promise<Item[]> {
  return (await admin<{ items: Item[] }>("GET", path)).items;
}

/** The next message; its id is the same in each chat. */
function nextOf(counts: Map<Chat, number>, chat: Chat, text: string): Shown {
  const count = (counts.get(chat) ?? 0) + 1;
  counts.set(chat, count);
  return { message_id: `3EB0${String(count).padStart(18, "0")}`, text };
}

async function sentIds(stage: CrowdStage, shop: string, person: string): Promise<Set<string>> {
  const items = await listOf<{ message_id: string }>(stage, `/sent?from=${shop}&chat=${person}&limit=10000`);
  return new Set(items.map(({ message_id: id }) => id));
}

/** Links the channel to this phone by a pairing code. */
async function enterCode({ api, admin }: CrowdStage, channelId: string, phone: string): Promise<void> {
  const { data } = await api<{ data: { pairing_code: string }[] }>(
    "POST",
    `/v2/channels/${channelId}/pairing-code`,
    { transport: "whatsapp", pairing_phone: phone },
  );
  const code = data[0]?.pairing_code;
  await admin("POST", `/people/${phone}/codes`, { code, timeout_ms: LINKING_MS });
}

/** What the emulator recorded between the phone of a shop and a person. */
async function traceOf(stage: CrowdStage, shop: string, person: string): Promise<unknown> {
  const all = (path: string): Promise<unknown> => listOf(stage, `${path}&limit=10000`);
  return {
    sent: await all(`/sent?from=${shop}&chat=${person}`),
    unreadable: await all(`/people/${person}/inbox?from=${shop}&kind=unreadable`),
    receipts: await all(`/receipts?phone=${shop}&type=retry`),
    events: await all(`/events?phone=${shop}`),
  };
}
