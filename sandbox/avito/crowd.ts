import { callbackTrouble } from "../crowd/callbacks.ts";
import { connectChannel } from "../crowd/channel.ts";
import type { Chat, Messenger } from "../crowd/contract.ts";

const CLIENT_ID = "crowd-client-0000";
const CLIENT_SECRET = "crowd-client-secret-0000";

/**
 * Sellers of one application, whose callbacks are held back and duplicated. They stay in order, because the service
 * may find a callback that is held back for long in the chat.
 */
const messenger: Messenger = {
  settings: ({ url }) => ({
    AVITO_API_URL: String(url),
    AVITO_CONSENT_URL: String(url),
    AVITO_CLIENT_ID: CLIENT_ID,
    AVITO_CLIENT_SECRET: CLIENT_SECRET,
  }),
  async gather(stage) {
    const { admin } = stage;
    const accounts = new Map<string, number>();
    const callbacks = callbackTrouble(stage, () => []);
    let hasApp = false;
    const addApp = async (owner: number): Promise<void> => {
      hasApp = true;
      const credentials = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, owner_id: owner };
      await admin("POST", "/apps", { ...credentials, redirect_uri: `${stage.serviceUrl()}/connect/avito` });
      await admin("POST", "/settings", { retry_scale: 0.001 });
    };
    return {
      chatType: "avito",
      acts: ["write", "echo"],
      echoesComeLate: true,
      async addChannel() {
        const { id } = await admin<{ id: number }>("POST", "/accounts", { name: "Shop" });
        if (!hasApp) await addApp(id);
        await admin("POST", "/items", { account_id: id, title: "Mazda 3 2008" });
        const { code } = await admin<{ code: string }>("POST", "/codes", { account_id: id });
        const channelId = await connectChannel(stage, "avito", { code });
        accounts.set(channelId, id);
        return channelId;
      },
      async addPerson() {
        const { id: user } = await admin<{ id: number }>("POST", "/users", { name: "Ann" });
        const chats: Chat[] = [];
        for (const [channelId, account] of accounts) {
          const chat = { account_id: account, user_id: user };
          const { id: chatId } = await admin<{ id: string }>("POST", "/chats", chat);
          chats.push({ channelId, chatId });
        }
        return chats;
      },
      begin: () => callbacks.begin(),
      act: ({ chatId }, act, text) =>
        admin("POST", `/chats/${chatId}/${act === "echo" ? "echoes" : "messages"}`, { text }),
      // Even numbers do not shuffle.
      jolt: () => callbacks.jolt(0),
      end: () => callbacks.end(),
      async seen({ chatId }) {
        const { items } = await admin<{ items: { content: { text?: string } }[] }>(
          "GET",
          `/chats/${chatId}/messages`,
        );
        return items.flatMap(({ content }) => content.text ?? []);
      },
    };
  },
};
export default messenger;
