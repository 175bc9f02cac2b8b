import { callbackTrouble, type Heard } from "../crowd/callbacks.ts";
import { connectOnPage } from "../crowd/channel.ts";
import { type Chat, type Messenger, pick } from "../crowd/contract.ts";

interface Message {
  readonly peer_id: number;
  readonly conversation_message_id: number;
  readonly text: string;
}

/** Communities whose events are lost and found again in the history, or arrive as callbacks in any order. */
const messenger: Messenger = {
  settings: ({ url }) => ({ VK_API_URL: String(url), VK_OAUTH_URL: String(url) }),
  polls: true,
  async gather(stage) {
    const { admin } = stage;
    await admin("POST", "/settings", { retry_scale: 0.001 });
    const communities = new Map<string, number>();
    const callbacks = callbackTrouble(stage, ({ text }) => messagesIn(JSON.parse(text)));
    let isCalledBack = false;
    const seatOf = ({ channelId, chatId }: Chat): string =>
      `/communities/${communities.get(channelId)}/users/${chatId}`;
    const seen = async (chat: Chat): Promise<string[]> => {
      const { items } = await admin<{ items: Message[] }>("GET", `${seatOf(chat)}/messages`);
      return items.map(({ text }) => text);
    };
    return {
      chatType: "vk",
      acts: ["write", "echo"],
      async addChannel() {
        const { id } = await admin<{ id: number }>("POST", "/communities", {});
        const { token } = await admin<{ token: string }>("POST", "/tokens", { group_id: id });
        const channelId = await connectOnPage(stage, "vk", { access_token: token });
        communities.set(channelId, id);
        return channelId;
      },
      async addPerson() {
        const { id } = await admin<{ id: number }>("POST", "/users", { first_name: "Ann" });
        const chats = [...communities.keys()].map((channelId) => ({ channelId, chatId: String(id) }));
        for (const chat of chats) await admin("POST", `${seatOf(chat)}/messages`, { text: "Hello" });
        return chats;
      },
      async begin(calledBack) {
        isCalledBack = calledBack;
        if (calledBack) await callbacks.begin();
      },
      act: (chat, act, text) =>
        act === "echo"
          ? admin("POST", `/communities/${communities.get(chat.channelId)}/replies`, {
              peer_id: Number(chat.chatId),
              text,
            })
          : admin("POST", `${seatOf(chat)}/messages`, { text }),
      async jolt(dice) {
        const id = pick([...communities.values()], dice);
        await admin("POST", "/faults", { group_id: id, method: "messages.send", drop: "after" });
        if (isCalledBack) return callbacks.jolt(dice);
        await admin("POST", `/communities/${id}/long_poll_failures`, { failed: 1 + (dice % 3) });
      },
      async end() {
        await admin("DELETE", "/faults");
        if (isCalledBack) await callbacks.end();
      },
      seen,
      given: (chat) => (isCalledBack ? callbacks.given(`${groupOf(chat)} ${chat.chatId}`) : seen(chat)),
    };

    function groupOf({ channelId }: Chat): number | undefined {
      return communities.get(channelId);
    }
  },
};
export default messenger;

/** Messages in an event of the Callback API; `message_new` wraps the message. */
function messagesIn(event: {
  readonly type: string;
  readonly group_id: number;
  readonly object: Message & { readonly message?: Message };
}): readonly Heard[] {
  if (event.type !== "message_new" && event.type !== "message_reply") return [];
  const { peer_id: peer, conversation_message_id: id, text } = event.object.message ?? event.object;
  return [{ seat: `${event.group_id} ${peer}`, id: String(id), text }];
}
