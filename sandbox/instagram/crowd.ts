import { callbackTrouble, type Heard } from "../crowd/callbacks.ts";
import { createChannel, untilStatus } from "../crowd/channel.ts";
import type { Chat, CrowdStage, Messenger } from "../crowd/contract.ts";
import { comeBack, openDialog } from "../walk/page.ts";
import { hostSettings } from "./hosts.ts";

const APP_ID = "900000000000778";
const SECRET = "secret-of-the-crowd";

interface Event {
  readonly sender: { readonly id: string };
  readonly recipient: { readonly id: string };
  readonly message?: { readonly mid: string; readonly text?: string; readonly is_echo?: boolean };
}

/** Accounts of one app, whose callbacks are batched, reordered and duplicated. */
const messenger: Messenger = {
  settings: ({ url }) => ({
    ...hostSettings(String(url)),
    INSTAGRAM_APP_ID: APP_ID,
    INSTAGRAM_APP_SECRET: SECRET,
  }),
  async gather(stage) {
    const { admin } = stage;
    await admin("POST", "/apps", { id: APP_ID, secret: SECRET });
    await admin("POST", "/settings", { retry_scale: 0.01 });
    const accounts = new Map<string, string>();
    const people = new Map<string, string>();
    const callbacks = callbackTrouble(stage, ({ text }) => messagesIn(JSON.parse(text)));
    const accountOf = ({ channelId }: Chat): string => accounts.get(channelId) ?? "";
    const seatOf = (chat: Chat): string => `/accounts/${accountOf(chat)}/users/${people.get(chat.chatId)}`;
    return {
      chatType: "instagram",
      acts: ["write", "echo"],
      async addChannel() {
        const { id } = await admin<{ id: string }>("POST", "/accounts", { name: "Shop" });
        const channelId = await signIn(stage, id);
        accounts.set(channelId, id);
        return channelId;
      },
      async addPerson() {
        const { id, username } = await admin<{ id: string; username: string }>("POST", "/users", {});
        people.set(username, id);
        const chats = [...accounts.keys()].map((channelId) => ({ channelId, chatId: username }));
        for (const chat of chats) {
          const hello = { text: "Hello" };
          const { message } = await admin<{ message: Event["message"] }>(
            "POST",
            `${seatOf(chat)}/messages`,
            hello,
          );
          // The account cannot write to a person until the service has stored who they are.
          await callbacks.accepted(message?.mid ?? "");
        }
        return chats;
      },
      begin: () => callbacks.begin(),
      act: (chat, act, text) =>
        act === "echo"
          ? admin("POST", `/accounts/${accountOf(chat)}/echoes`, { user_id: people.get(chat.chatId), text })
          : admin("POST", `${seatOf(chat)}/messages`, { text }),
      jolt: (dice) => callbacks.jolt(dice),
      end: () => callbacks.end(),
      async seen(chat) {
        const { items } = await admin<{ items: { text: string | null }[] }>(
          "GET",
          `${seatOf(chat)}/messages`,
        );
        return items.flatMap(({ text }) => text ?? []);
      },
      async given(chat) {
        const { users } = await admin<{ users: { user_id: string; igsid: string }[] }>(
          "GET",
          `/accounts/${accountOf(chat)}`,
        );
        const person = users.find(({ user_id: id }) => id === people.get(chat.chatId));
        return callbacks.given(`${accountOf(chat)} ${person?.igsid}`);
      },
    };
  },
};
export default messenger;

async function signIn(stage: CrowdStage, accountId: string): Promise<string> {
  const { id, url } = await createChannel(stage, "instagram", {});
  await openDialog(url);
  const { items } = await stage.admin<{ items: { id: string }[] }>("GET", "/authorizations");
  const completion = `/authorizations/${items.at(-1)?.id}/completions`;
  const agreed = await stage.admin<{ redirect_url: string }>("POST", completion, { account_id: accountId });
  await comeBack(agreed.redirect_url);
  return untilStatus(stage, id, "active");
}

function messagesIn(body: {
  readonly entry: readonly { readonly id: string; readonly messaging?: readonly Event[] }[];
}): readonly Heard[] {
  return body.entry.flatMap(({ id: account, messaging = [] }) =>
    messaging.flatMap(({ sender, recipient, message }) => {
      if (message?.text === undefined) return [];
      const person = message.is_echo === true ? recipient : sender;
      return [{ seat: `${account} ${person.id}`, id: message.mid, text: message.text }];
    }),
  );
}
