import { createAccount } from "../../src/core/account/accounts.ts";
import { openDatabase } from "../../src/database/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { percentile, type Row } from "../kit/numbers.ts";
import { startReceiver } from "../kit/receiver.ts";
import { perItem, spentBy } from "../kit/spent.ts";
import { client, createChannel, post, type Stand, subscribe, writeLoad } from "../kit/stand.ts";
import { leanClient } from "./lean-client.ts";
import { messageTo, offerBy, WARM_UP_SECONDS } from "./pipeline.ts";

const BENCH = "accounts";
const ACCOUNTS = 100;
const RATE = 100;
const SECONDS = 30;
/** Below the accounts' rate limit. */
const WARM_UP_RATE = 800;
const CHATS = 10;
/** The defaults, as an installation has them. */
const LIMITS = {
  RATE_LIMIT_PER_MINUTE: "",
  QUOTA_CHANNELS: "",
  QUOTA_UNLINKED_CHANNELS: "",
  QUOTA_WAITING_SENDS: "",
};

/** A hundred accounts with a message a second each, and the limits of accounts: each message is alone in its account. */
export async function benchAccounts(stand: Stand): Promise<Row[]> {
  const receiver = await startReceiver();
  const service = await stand.serve(LIMITS);
  try {
    const tenants = await createTenants(stand, service.url, receiver.url);
    const send = (n: number): Promise<string> => {
      const tenant = tenants[Math.floor(Math.random() * tenants.length)];
      if (tenant === undefined) throw new Error("there is no tenant");
      return tenant.api.post("/v2/messages", messageTo(tenant.channelId, n % CHATS));
    };
    await offerBy(send, receiver, WARM_UP_RATE, WARM_UP_SECONDS);
    await offerBy(send, receiver, RATE, 5);
    const before = await spentBy(stand, service);
    const { latencies, began } = await offerBy(send, receiver, RATE, SECONDS);
    const after = await spentBy(stand, service);
    for (const { api } of tenants) api.close();
    return [
      ...perItem(BENCH, `${ACCOUNTS} accounts`, { before, after, items: began.length }),
      { bench: BENCH, figure: "p50 to the webhook", value: percentile(latencies, 0.5), unit: "ms" },
      { bench: BENCH, figure: "p99 to the webhook", value: percentile(latencies, 0.99), unit: "ms" },
    ];
  } finally {
    await service.stop();
    receiver.close();
  }
}

async function createTenants(stand: Stand, url: string, webhooks: string) {
  const log = createLog({ level: "error", pretty: false });
  const db = openDatabase({ connection: stand.databaseUrl, max: 1, log, applicationName: "bench" });
  try {
    const tenants = [];
    for (let n = 0; n < ACCOUNTS; n++) {
      const account = await createAccount(db, { name: `Tenant ${n}` });
      await subscribe({ account }, url, webhooks);
      const bot = await post<{ id: number; token: string }>(`${stand.admin}/bots`, {});
      await writeLoad({ admin: stand.admin, botId: bot.id }, { users: CHATS, count: 1, rate: 0 });
      const api = client(url, account.accessToken, 1);
      const channelId = await createChannel(api, bot.token);
      await api.close();
      tenants.push({ channelId, api: leanClient(url, account.accessToken, 2) });
    }
    return tenants;
  } finally {
    await db.close();
  }
}
