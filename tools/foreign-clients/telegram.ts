import { expectEqual, type ForeignClient, type Json, type Stage } from "./client.ts";

const token = "1000001:demo-trunkline-sandbox-token-0000000000";
const sent = "/bots/1000001/sent";
const ann = 111;

interface TelegramClient {
  getUpdates(options: object): Promise<readonly { message: { text: string } }[]>;
  sendMessage(chat: number, text: string): Promise<{ messageId: number }>;
  editMessageText(text: string, options: object): Promise<unknown>;
  deleteMessage(chat: number, id: number): Promise<boolean>;
}

/** Bottender's client. */
export const messagingApiTelegram: ForeignClient = {
  emulator: "telegram",
  name: "messaging-api-telegram",
  version: "1.1.0",
  async run(stage) {
    const library = stage.load(this.name) as { TelegramClient: new (options: object) => TelegramClient };
    const client = new library.TelegramClient({ accessToken: token, origin: `${stage.url}/telegram` });
    await stage.step("receive", async () => {
      await stage.admin("POST /messages", { text: "Hello" });
      const updates = await client.getUpdates({ timeout: 20 });
      expectEqual(updates.at(-1)?.message.text, "Hello");
    });
    const { messageId } = await stage.step("send", () => client.sendMessage(ann, "Hi"));
    await stage.step("edit", () => client.editMessageText("Hi there", { chatId: ann, messageId }));
    await stage.step("delete", () => client.deleteMessage(ann, messageId));
    await checkSent(stage);
  },
};

interface Api {
  setMessageProvider(provider: unknown): void;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
  on(event: "update", listener: (update: { message?: { text: string } }) => void): void;
  sendMessage(options: object): Promise<{ message_id: number }>;
  editMessageText(options: object): Promise<unknown>;
  deleteMessage(options: object): Promise<unknown>;
}

export const telegramBotApi: ForeignClient = {
  emulator: "telegram",
  name: "telegram-bot-api",
  version: "2.0.1",
  async run(stage) {
    const Library = stage.load(this.name) as (new (
      options: object,
    ) => Api) & {
      GetUpdateMessageProvider: new () => unknown;
    };
    const api = new Library({ token, baseUrl: `${stage.url}/telegram` });
    api.setMessageProvider(new Library.GetUpdateMessageProvider());
    const received = Promise.withResolvers<string | undefined>();
    api.on("update", ({ message }) => received.resolve(message?.text));
    await stage.step("connect", () => api.start());
    stage.atEnd(() => api.stop());
    await stage.step("receive", async () => {
      await stage.admin("POST /messages", { text: "Hello" });
      expectEqual(await received.promise, "Hello");
    });
    const { message_id } = await stage.step("send", () => api.sendMessage({ chat_id: ann, text: "Hi" }));
    const message = { chat_id: ann, message_id };
    await stage.step("edit", () => api.editMessageText({ ...message, text: "Hi there" }));
    await stage.step("delete", () => api.deleteMessage(message));
    await checkSent(stage);
  },
};

/** The emulator has recorded the three calls. */
function checkSent({ admin, step }: Stage): Promise<void> {
  return step("arrived", async () => {
    const { items } = await admin(`GET ${sent}?count=3`);
    const methods = (items as unknown as readonly Json[]).map(({ method }) => method);
    expectEqual(methods, ["sendMessage", "editMessageText", "deleteMessage"]);
  });
}
