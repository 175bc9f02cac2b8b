import { callbackTrouble, type Heard } from "../crowd/callbacks.ts";
import { connectChannel } from "../crowd/channel.ts";
import type { Chat, Messenger } from "../crowd/contract.ts";

const APP_ID = "1000000000778";
const SECRET = "secret-of-the-crowd";

interface Message {
  readonly id: string;
  readonly from: string;
  readonly to?: string;
  readonly text?: { readonly body: string };
}
interface Value {
  readonly metadata?: { readonly phone_number_id: string };
  readonly messages?: readonly Message[];
  readonly message_echoes?: readonly Message[];
}

/** Numbers of one app whose callbacks are batched, reordered, duplicated, and repeated later. */
const messenger: Messenger = {
  settings: ({ url }) => ({
    GRAPH_API_URL: String(url),
    META_DIALOG_URL: String(url),
    WAPI_APP_ID: APP_ID,
    WAPI_APP_SECRET: SECRET,
  }),
  async gather(stage) {
    const { admin } = stage;
    await admin("POST", "/apps", { id: APP_ID, secret: SECRET });
    await admin("POST", "/settings", { retry_scale: 0.01 });
    const numbers = new Map<string, string>();
    const callbacks = callbackTrouble(stage, ({ text }) => messagesIn(JSON.parse(text)));
    const numberOf = ({ channelId }: Chat): string => numbers.get(channelId) ?? "";
    const seatOf = (chat: Chat): string => `/numbers/${numberOf(chat)}/users/${chat.chatId}`;
    let people = 0;
    return {
      chatType: "whatsapp",
      acts: ["write", "echo"],
      async addChannel() {
        const { id: waba } = await admin<{ id: string }>("POST", "/wabas", { name: "Shop" });
        const { id } = await admin<{ id: string }>("POST", "/numbers", { waba_id: waba, on_biz_app: true });
        const owned = { app_id: APP_ID, waba_ids: [waba] };
        const { token } = await admin<{ token: string }>("POST", "/tokens", owned);
        const credentials = { phone_number_id: id, waba_id: waba, access_token: token };
        const channelId = await connectChannel(stage, "wapi", credentials);
        numbers.set(channelId, id);
        return channelId;
      },
      async addPerson() {
        const phone = String(16_505_550_000 + ++people);
        await admin("POST", "/users", { id: phone, phone, name: `Person ${people}` });
        const chats = [...numbers.keys()].map((channelId) => ({ channelId, chatId: phone }));
        // Only people who wrote within 24 hours can be reached without a template.
        for (const chat of chats) await admin("POST", `${seatOf(chat)}/messages`, { text: "Hello" });
        return chats;
      },
      begin: () => callbacks.begin(),
      act: (chat, act, text) =>
        act === "echo"
          ? admin("POST", `/numbers/${numberOf(chat)}/echoes`, { user_id: chat.chatId, text })
          : admin("POST", `${seatOf(chat)}/messages`, { text }),
      jolt: (dice) => callbacks.jolt(dice),
      end: () => callbacks.end(),
      async seen(chat) {
        const { items } = await admin<{ items: { content?: { body?: string } }[] }>(
          "GET",
          `${seatOf(chat)}/messages`,
        );
        return items.flatMap(({ content }) => content?.body ?? []);
      },
      given: (chat) => callbacks.given(`${numberOf(chat)} ${chat.chatId}`),
    };
  },
};
export default messenger;

function messagesIn(body: {
  readonly entry: readonly { readonly changes: readonly { readonly value: Value }[] }[];
}): readonly Heard[] {
  return body.entry
    .flatMap(({ changes }) => changes.map(({ value }) => value))
    .flatMap(({ metadata, messages = [], message_echoes: echoes = [] }) =>
      [...messages, ...echoes].map(({ id, from, to, text }) => ({
        seat: `${metadata?.phone_number_id} ${to ?? from}`,
        id,
        text: text?.body ?? "",
      })),
    );
}
