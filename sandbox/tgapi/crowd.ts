import { createChannel, linkChannel, untilStatus } from "../crowd/channel.ts";
import type { Chat, Messenger } from "../crowd/contract.ts";
import { Lines } from "../crowd/lines.ts";

const FIRST_PHONE = 79_995_000_000;
const CODE_WITHIN_MS = 30_000;

interface Person {
  readonly id: number;
  readonly phone: string;
}

/**
 * Accounts whose connections break or are silent for a while and then receive everything at once, and whose sends may
 * get no response.
 */
const messenger: Messenger = {
  settings: ({ settings }) => settings as Record<string, string>,
  async gather(stage) {
    const { admin } = stage;
    const phones = new Map<string, string>();
    const people = new Map<Chat, string>();
    let count = 0;
    const lines = new Lines(stage, "sessions/any");
    const addPhone = (name: string): Promise<Person> => {
      const phone = String(FIRST_PHONE + ++count);
      return admin("POST", "/people", { phone, first_name: name, username: `person_${phone}` });
    };
    const phoneOf = ({ channelId }: Chat): string => phones.get(channelId) ?? "";
    const write = (from: string, to: string, text: string): Promise<unknown> =>
      admin("POST", `/people/${from}/messages`, { to, text });
    return {
      chatType: "telegram",
      acts: ["write", "echo"],
      async addChannel() {
        const { phone } = await addPhone("Shop");
        const { id } = await createChannel(stage, "tgapi", {});
        phones.set(id, phone);
        return linkChannel(stage, id, async () => {
          const asked = { transport: "tgapi", pairing_phone: phone };
          await stage.api("POST", `/v2/channels/${id}/pairing-code`, asked);
          await untilStatus(stage, id, "init/wait_for_code", CODE_WITHIN_MS);
          const { items } = await admin<{ items: { code: string }[] }>("GET", `/people/${phone}/codes`);
          const code = { transport: "tgapi", two_factor_code: items.at(-1)?.code };
          await stage.api("POST", `/v2/channels/${id}/auth/2fa`, code);
        });
      },
      async addPerson() {
        const { phone, id } = await addPhone(`Person ${count}`);
        const chats = [...phones].map(([channelId]) => ({ channelId, chatId: String(id) }));
        for (const chat of chats) {
          people.set(chat, phone);
          // The account must have met them before it can write to them.
          await write(phone, phoneOf(chat), "first");
        }
        return chats;
      },
      begin: async () => lines.begin(),
      act(chat, act, text) {
        const [shop, person] = [phoneOf(chat), people.get(chat) ?? ""];
        return act === "echo" ? write(shop, person, text) : write(person, shop, text);
      },
      jolt: (dice) =>
        lines.jolt([...phones.values()], dice, async (phone) => {
          if (dice % 4 === 0)
            await admin("POST", "/faults", { method: "messages.sendMessage", phone, kind: "drop" });
        }),
      async end() {
        await admin("DELETE", "/faults");
        await lines.end();
      },
      async seen(chat) {
        const path = `/people/${people.get(chat)}/chats/${phoneOf(chat)}/messages`;
        const { items } = await admin<{ items: { text: string }[] }>("GET", path);
        return items.map(({ text }) => text);
      },
    };
  },
};
export default messenger;
