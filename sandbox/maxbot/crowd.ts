import { type Attempt, callbackTrouble, type Heard } from "../crowd/callbacks.ts";
import { connectChannel } from "../crowd/channel.ts";
import { type Chat, type Messenger, pick } from "../crowd/contract.ts";

interface Message {
  readonly recipient: { readonly chat_id: number };
  readonly body: { readonly mid: string; readonly text: string | null };
}

/** Bots whose updates are lost or duplicated, and which get rate-limited now and then. */
const messenger: Messenger = {
  settings: ({ url }) => ({ MAXBOT_API_URL: String(url) }),
  polls: true,
  async gather(stage) {
    const { admin } = stage;
    await admin("POST", "/settings", { retry_scale: 0.001 });
    const bots = new Map<string, number>();
    const seats = new Map<Chat, string>();
    const callbacks = callbackTrouble(stage, messagesIn);
    let isCalledBack = false;
    const seen = async (chat: Chat): Promise<string[]> => {
      const { items } = await admin<{ items: Message[] }>("GET", `${seats.get(chat)}/messages`);
      return items.flatMap(({ body }) => body.text ?? []);
    };
    return {
      chatType: "max",
      acts: ["write"],
      async addChannel() {
        const { user_id: id, token } = await admin<{ user_id: number; token: string }>("POST", "/bots", {});
        const channelId = await connectChannel(stage, "maxbot", { access_token: token });
        bots.set(channelId, id);
        return channelId;
      },
      async addPerson() {
        const { user_id: user } = await admin<{ user_id: number }>("POST", "/users", { first_name: "Ann" });
        const chats: Chat[] = [];
        for (const [channelId, bot] of bots) {
          const seat = `/bots/${bot}/users/${user}`;
          const { chat_id: id } = await admin<{ chat_id: number }>("POST", `${seat}/start`, {});
          const chat = { channelId, chatId: String(id) };
          seats.set(chat, seat);
          chats.push(chat);
        }
        return chats;
      },
      async begin(calledBack) {
        isCalledBack = calledBack;
        if (calledBack) await callbacks.begin();
      },
      act: (chat, _, text) => admin("POST", `${seats.get(chat)}/messages`, { text }),
      async jolt(dice) {
        const where = { bot_id: pick([...bots.values()], dice) };
        if (dice % 3 === 0)
          await admin("POST", "/faults", {
            ...where,
            method: "POST",
            node: "messages",
            code: "too.many.requests",
            retry_after: 1,
          });
        if (isCalledBack) return callbacks.jolt(dice);
        await admin("POST", "/faults", { ...where, method: "GET", node: "updates", drop: "after" });
      },
      async end() {
        await admin("DELETE", "/faults");
        if (isCalledBack) await callbacks.end();
      },
      seen,
      given: (chat) => (isCalledBack ? callbacks.given(`${chat.channelId} ${chat.chatId}`) : seen(chat)),
    };
  },
};
export default messenger;

/** The service's addresses end with the channel id. */
function messagesIn({ url, text }: Attempt): readonly Heard[] {
  const { update_type: type, message } = JSON.parse(text) as { update_type: string; message?: Message };
  if (type !== "message_created" || message === undefined) return [];
  const seat = `${new URL(url).pathname.split("/").at(-1)} ${message.recipient.chat_id}`;
  return [{ seat, id: message.body.mid, text: message.body.text ?? "" }];
}
