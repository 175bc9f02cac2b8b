import { randomInt } from "node:crypto";
import { createChannel, linkChannel } from "../crowd/channel.ts";
import type { Chat, Messenger } from "../crowd/contract.ts";
import { Lines } from "../crowd/lines.ts";
import { opcode } from "./opcode.ts";

interface Shown {
  readonly message_id: string;
  readonly text: string;
}

const FIRST_PHONE = 79_995_000_000;

/**
 * Accounts whose connections break or are silent for a while and then receive everything at once, and whose sends may
 * get no response. Clients also receive what they sent themselves.
 */
const messenger: Messenger = {
  settings: ({ settings }) => settings as Record<string, string>,
  async gather(stage) {
    const { admin } = stage;
    await admin("POST", "/settings", { qr_polling_ms: 200, echo_own: true });
    const phones = new Map<string, string>();
    const people = new Map<Chat, string>();
    let count = 0;
    const lines = new Lines(stage, "sessions/any");
    const addPhone = async (name: string): Promise<{ phone: string; id: number }> => {
      const phone = String(FIRST_PHONE + ++count);
      // Two dialogs may have the same id if the ids of their people are close to each other.
      const id = randomInt(100_000_000, 2 ** 40);
      await admin("POST", "/people", { phone, name, user_id: id });
      return { phone, id };
    };
    const ids = new Map<string, number>();
    const phoneOf = ({ channelId }: Chat): string => phones.get(channelId) ?? "";
    const write = (from: string, to: string, text: string): Promise<unknown> =>
      admin("POST", `/people/${from}/messages`, { to, text });
    return {
      chatType: "max",
      acts: ["write", "echo"],
      async addChannel() {
        const { phone, id: userId } = await addPhone("Shop");
        const { id } = await createChannel(stage, "max", {});
        phones.set(id, phone);
        ids.set(id, userId);
        return linkChannel(stage, id, async () => {
          const { items } = await admin<{ items: { detail: string }[] }>(
            "GET",
            "/events?event=qr&limit=10000",
          );
          await admin("POST", `/people/${phone}/scans`, { qr: items.at(-1)?.detail });
        });
      },
      async addPerson() {
        const { phone, id } = await addPhone(`Person ${count}`);
        return [...phones.keys()].map((channelId) => {
          // Between two people: both ids, XORed.
          const chat = { channelId, chatId: String(BigInt(id) ^ BigInt(ids.get(channelId) ?? 0)) };
          people.set(chat, phone);
          return chat;
        });
      },
      begin: async () => lines.begin(),
      act(chat, act, text) {
        const [shop, person] = [phoneOf(chat), people.get(chat) ?? ""];
        return act === "echo" ? write(shop, person, text) : write(person, shop, text);
      },
      jolt: (dice) =>
        lines.jolt([...phones.values()], dice, async (phone) => {
          if (dice % 4 === 0)
            await admin("POST", "/faults", { opcode: opcode.msgSend, phone, drop: "after" });
        }),
      async end() {
        await admin("DELETE", "/faults");
        await lines.end();
      },
      async seen(chat) {
        const path = `/people/${phoneOf(chat)}/chats/${people.get(chat)}/messages`;
        return (await admin<{ items: Shown[] }>("GET", path)).items.map(({ text }) => text);
      },
    };
  },
};
export default messenger;
