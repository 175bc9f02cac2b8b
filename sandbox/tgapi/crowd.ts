import { createChannel, untilStatus } from "../crowd/channel.ts";
import { type Chat, type Messenger, pick } from "../crowd/contract.ts";

const FIRST_PHONE = 79_995_000_000;

interface Person {
  readonly id: number;
  readonly phone: string;
}

/**
 * Accounts whose lines break, or hear nothing for a while and then all at once, and whose sends are taken without an
 * answer.
 */
const messenger: Messenger = {
  settings: ({ settings }) => settings as Record<string, string>,
  async gather(stage) {
    const { admin } = stage;
    const phones = new Map<string, string>();
    const people = new Map<Chat, string>();
    const dropped = new Set<string>();
    let count = 0;
    /** Whose line is held. */
    let silent: string | null = null;
    /** Who loses the line again and again waits longer and longer to come back: it is lost in every third run only. */
    let runs = 0;
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
        await untilStatus(stage, id, "init/qr");
        const asked = { transport: "tgapi", pairing_phone: phone };
        await stage.api("POST", `/v2/channels/${id}/pairing-code`, asked);
        await untilStatus(stage, id, "init/wait_for_code");
        const { items } = await admin<{ items: { code: string }[] }>("GET", `/people/${phone}/codes`);
        const code = { transport: "tgapi", two_factor_code: items.at(-1)?.code };
        await stage.api("POST", `/v2/channels/${id}/auth/2fa`, code);
        phones.set(id, phone);
        return untilStatus(stage, id, "active");
      },
      async addPerson() {
        const { phone, id } = await addPhone(`Person ${count}`);
        const chats = [...phones].map(([channelId]) => ({ channelId, chatId: String(id) }));
        for (const chat of chats) {
          people.set(chat, phone);
          // The account has to have met them before it can write.
          await write(phone, phoneOf(chat), "first");
        }
        return chats;
      },
      async begin() {
        runs++;
        dropped.clear();
      },
      act(chat, act, text) {
        const [shop, person] = [phoneOf(chat), people.get(chat) ?? ""];
        return act === "echo" ? write(shop, person, text) : write(person, shop, text);
      },
      async jolt(dice) {
        const steady = [...phones.values()].filter((phone) => !dropped.has(phone));
        if (steady.length === 0) return;
        const phone = silent ?? pick(steady, dice);
        if (dice % 4 === 0)
          await admin("POST", "/faults", { method: "messages.sendMessage", phone, kind: "drop" });
        const line = `/people/${phone}/sessions/any`;
        if (runs % 3 === 1) {
          dropped.add(phone);
          await admin("POST", `${line}/drops`).catch(() => undefined);
          return;
        }
        await admin("POST", `${line}/${silent === null ? "freezes" : "thaws"}`).catch(() => undefined);
        silent = silent === null ? phone : null;
      },
      async end() {
        await admin("DELETE", "/faults");
        // The line may have been given up meanwhile.
        if (silent !== null)
          await admin("POST", `/people/${silent}/sessions/any/thaws`).catch(() => undefined);
        silent = null;
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
