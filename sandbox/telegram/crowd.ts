import { connectChannel } from "../crowd/channel.ts";
import { type Chat, type Messenger, pick } from "../crowd/contract.ts";

/** Bots whose updates are lost or duplicated, and which get rate-limited now and then. */
const messenger: Messenger = {
  settings: ({ url }) => ({ TELEGRAM_API_URL: String(url) }),
  polls: true,
  async gather(stage) {
    const { admin } = stage;
    await admin("POST", "/settings", { retry_scale: 0.01, wait_scale: 0 });
    const bots = new Map<string, number>();
    const chats: Chat[] = [];
    const botOf = ({ channelId }: Chat): number => bots.get(channelId) ?? 0;
    return {
      chatType: "telegram",
      acts: ["write"],
      async addChannel() {
        const { id, token } = await admin<{ id: number; token: string }>("POST", "/bots", {});
        const channelId = await connectChannel(stage, "telegram", { telegram_token: token });
        bots.set(channelId, id);
        return channelId;
      },
      async addPerson() {
        const { id } = await admin<{ id: number }>("POST", "/users", { first_name: "Ann" });
        for (const bot of bots.values()) await admin("POST", `/bots/${bot}/users/${id}/start`);
        const own = [...bots.keys()].map((channelId) => ({ channelId, chatId: String(id) }));
        chats.push(...own);
        return own;
      },
      begin: () => admin("DELETE", "/faults"),
      act: (chat, _, text) => admin("POST", `/bots/${botOf(chat)}/users/${chat.chatId}/messages`, { text }),
      async jolt(dice) {
        const chat = pick(chats, dice);
        await admin("POST", "/faults", { bot_id: botOf(chat), method: "getUpdates", drop: "after" });
        if (dice % 3 > 0) return;
        const where = { bot_id: botOf(chat), chat_id: Number(chat.chatId), method: "sendMessage" };
        await admin("POST", "/faults", { ...where, retry_after: 1 });
      },
      end: () => admin("DELETE", "/faults"),
      seen: async (chat) => {
        const path = `/bots/${botOf(chat)}/chats/${chat.chatId}/messages`;
        const { items } = await admin<{ items: { text?: string }[] }>("GET", path);
        return items.flatMap(({ text }) => text ?? []);
      },
    };
  },
};
export default messenger;
