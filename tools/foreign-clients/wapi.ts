import { expectEqual, type ForeignClient } from "./client.ts";

const number = "3000000000001";
const account = "2000000000001";
const token = "EAAdemoTrunklineSandboxToken0000000000";
const ann = "16505551234";

interface WabaClient {
  readonly restClient: { readonly fetch: { readonly defaults: { baseURL: string } } };
  getBusinessProfile(): Promise<unknown>;
  sendMessage(message: object): Promise<{ messages: readonly { id: string }[] }>;
  markMessageAsRead(id: string): Promise<{ success: boolean }>;
}

export const whatsappBusiness: ForeignClient = {
  emulator: "wapi",
  name: "whatsapp-business",
  version: "1.7.2",
  async run(stage) {
    const library = stage.load(this.name) as { WABAClient: new (options: object) => WabaClient };
    const client = new library.WABAClient({ apiToken: token, phoneId: number, accountId: account });
    // The library knows one address; only the address is another here.
    client.restClient.fetch.defaults.baseURL = `${stage.url}/wapi/v17.0`;
    await stage.step("connect", () => client.getBusinessProfile());
    const { message } = await stage.step("receive", () => stage.admin("POST /messages", { text: "Hello" }));
    await stage.step("send", async () => {
      const answer = await client.sendMessage({ to: ann, type: "text", text: { body: "Hi" } });
      expectEqual(answer.messages[0]?.id.startsWith("wamid."), true);
    });
    await stage.step("read", async () => {
      expectEqual(await client.markMessageAsRead(String(message?.["id"])), { success: true });
    });
    await stage.step("arrived", async () => {
      const { items } = await stage.admin(`GET /numbers/${number}/sent?count=1`);
      expectEqual(items?.[0]?.["type"], "text");
    });
  },
};
