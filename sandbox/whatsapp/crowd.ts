import { createChannel, untilStatus } from "../crowd/channel.ts";
import type { Chat, Messenger } from "../crowd/contract.ts";
import { Lines } from "../crowd/lines.ts";

interface Shown {
  readonly message_id: string;
  readonly text: string;
}

const FIRST_PHONE = 79_995_000_000;
/** How long a phone waits for the device that its code links. */
const LINKING_MS = 60_000;

/**
 * Phones, whose linked devices lose their line, or hear nothing for a while and then all at once. Every other person
 * writes under the hidden id. Ids are repeated, and two people may use the same.
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
    const conversation = async (chat: Chat): Promise<readonly Shown[]> => {
      const path = `/people/${chat.chatId}/chats/${phoneOf(chat)}/messages`;
      return (await admin<{ items: Shown[] }>("GET", path)).items;
    };
    const write = (chat: Chat, content: Shown): Promise<unknown> =>
      admin("POST", `/people/${chat.chatId}/messages`, {
        to: phoneOf(chat),
        addressing: hidden.has(chat.chatId) ? "lid" : "pn",
        ...content,
      });
    const next = (chat: Chat, text: string): Shown => {
      // The same in each chat.
      const count = (counts.get(chat) ?? 0) + 1;
      counts.set(chat, count);
      return { message_id: `3EB0${String(count).padStart(18, "0")}`, text };
    };
    return {
      chatType: "whatsapp",
      acts: ["write", "echo", "repeat"],
      async addChannel() {
        const phone = await addPhone("Shop");
        const { id } = await createChannel(stage, "whatsapp", {});
        await untilStatus(stage, id, "init/qr");
        const asked = { transport: "whatsapp", pairing_phone: phone };
        const { data } = await stage.api<{ data: { pairing_code: string }[] }>(
          "POST",
          `/v2/channels/${id}/pairing-code`,
          asked,
        );
        const code = data[0]?.pairing_code;
        await admin("POST", `/people/${phone}/codes`, { code, timeout_ms: LINKING_MS });
        phones.set(id, phone);
        return untilStatus(stage, id, "active");
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
        const content = (act === "repeat" ? written.get(chat) : undefined) ?? next(chat, text);
        written.set(chat, content);
        return write(chat, content);
      },
      jolt: (dice) => lines.jolt([...phones.values()], dice),
      end: () => lines.end(),
      seen: async (chat) => (await conversation(chat)).map(({ text }) => text),
      // A phone may ask for a message again.
      async taken(chat) {
        const texts = new Map((await conversation(chat)).map(({ message_id: id, text }) => [id, text]));
        const path = `/sent?from=${phoneOf(chat)}&chat=${chat.chatId}&limit=10000`;
        const { items } = await admin<{ items: { message_id: string }[] }>("GET", path);
        const ids = new Set(items.map(({ message_id: id }) => id));
        return [...ids].map((id) => texts.get(id) ?? `${id} is not shown`);
      },
      async trace(chat) {
        const [shop, person] = [phoneOf(chat), chat.chatId];
        const all = async (path: string): Promise<unknown> =>
          (await admin<{ items: unknown[] }>("GET", `${path}&limit=10000`)).items;
        return {
          sent: await all(`/sent?from=${shop}&chat=${person}`),
          unreadable: await all(`/people/${person}/inbox?from=${shop}&kind=unreadable`),
          receipts: await all(`/receipts?phone=${shop}&type=retry`),
          events: await all(`/events?phone=${shop}`),
        };
      },
    };
  },
};
export default messenger;
