import { type Attempt, callbackTrouble, type Heard } from "../crowd/callbacks.ts";
import { connectChannel } from "../crowd/channel.ts";
import type { Chat, Messenger } from "../crowd/contract.ts";

/** Bots whose callbacks are reordered and duplicated: messages of people as well as receipts. */
const messenger: Messenger = {
  settings: ({ url }) => ({ VIBER_API_URL: String(url) }),
  async gather(stage) {
    const { admin } = stage;
    await admin("POST", "/settings", { retry_scale: 0.001 });
    const bots = new Map<string, string>();
    const seats = new Map<Chat, string>();
    const callbacks = callbackTrouble(stage, messagesIn);
    return {
      chatType: "viber",
      acts: ["write"],
      async addChannel() {
        const { id, token } = await admin<{ id: string; token: string }>("POST", "/bots", { name: "Shop" });
        const channelId = await connectChannel(stage, "viber", { viber_token: token });
        bots.set(channelId, id);
        return channelId;
      },
      async addPerson() {
        const { id } = await admin<{ id: string }>("POST", "/users", { name: "Ann" });
        const chats: Chat[] = [];
        for (const [channelId, bot] of bots) {
          const seat = `/bots/${bot}/users/${id}`;
          const hello = { text: "Hello" };
          const { viber_id: chatId } = await admin<{ viber_id: string }>("POST", `${seat}/messages`, hello);
          const chat = { channelId, chatId };
          seats.set(chat, seat);
          chats.push(chat);
        }
        return chats;
      },
      begin: () => callbacks.begin(),
      act: (chat, _, text) => admin("POST", `${seats.get(chat)}/messages`, { text }),
      jolt: (dice) => callbacks.jolt(dice),
      end: () => callbacks.end(),
      async seen(chat) {
        const { items } = await admin<{ items: { text?: string }[] }>("GET", `${seats.get(chat)}/messages`);
        return items.flatMap(({ text }) => text ?? []);
      },
      given: ({ channelId, chatId }) => callbacks.given(`${channelId} ${chatId}`),
    };
  },
};
export default messenger;

/** The service's addresses end with the channel id. */
function messagesIn({ url, text }: Attempt): readonly Heard[] {
  // Tokens have more digits than a number can hold.
  const [, id = ""] = /"message_token":(\d+)/.exec(text) ?? [];
  const { event, sender, message } = JSON.parse(text) as {
    readonly event: string;
    readonly sender?: { readonly id: string };
    readonly message?: { readonly text?: string };
  };
  if (event !== "message") return [];
  return [
    { seat: `${new URL(url).pathname.split("/").at(-1)} ${sender?.id}`, id, text: message?.text ?? "" },
  ];
}
