import { createAccount } from "../core/account/accounts.ts";
import { claimDemo, findDemo, forgetDemo, recordDemo } from "../core/account/demo-account.ts";
import { createChannel, listChannels } from "../core/channel/channels.ts";
import type { Core } from "../core/core.ts";
import { changeWebhookSettings } from "../core/delivery/receiver/settings.ts";
import { removeChannel } from "../core/message/remove-channel.ts";
import { revokeAccount } from "../core/oauth/revoke.ts";
import { firstLink } from "../core/operator/links.ts";
import type { Scope } from "../core/scope.ts";
import { commandLine } from "../platform/command-line.ts";

/** What the first start with a sandbox prints, once: tokens are stored only as hashes. */
export interface Demo {
  readonly accountId: number;
  readonly accessToken: string;
  readonly apiKey: string;
  readonly channelId: string;
}

/** The initial bot and customer of the sandbox, see docs/sandbox/telegram.md. */
const DEMO_BOT_TOKEN = "1000001:demo-trunkline-sandbox-token-0000000000";
const DEMO_CUSTOMER_ID = "111";

/**
 * Creates the demo account with a Telegram channel and the sandbox's inbox as its receiver; null if it exists
 * already. If that fails, for example because the sandbox does not respond, it throws and leaves nothing, so that the
 * next start tries again.
 */
export async function createDemo(core: Core, inboxUrl: string): Promise<Demo | null> {
  if (!(await claimDemo(core.db))) return null;
  try {
    return await fillDemo(core, inboxUrl);
  } catch (error) {
    await revokeDemo(core);
    throw error;
  }
}

async function fillDemo(core: Core, inboxUrl: string): Promise<Demo> {
  const { accountId, accessToken, apiKey } = await createAccount(core.db, { name: "Demo" });
  await recordDemo(core.db, accountId);
  const scope = { accountId };
  await changeWebhookSettings(core, scope, {
    webhooksUri: inboxUrl,
    subscriptions: {
      messagesAndStatuses: true,
      contactsAndDealsCreation: true,
      channelsUpdates: true,
      templateStatus: [true],
    },
  });
  const channel = await createChannel(
    core,
    scope,
    { transport: "telegram", credentials: { telegram_token: DEMO_BOT_TOKEN } },
    null,
  );
  return { accountId, accessToken, apiKey, channelId: channel.id };
}

/**
 * Closes the demo account, for a start without the sandbox: its keys were printed on a terminal and its receiver is
 * the sandbox's. The history is kept; the next start with a sandbox creates another demo. Returns whether there was
 * one.
 */
export async function revokeDemo(core: Core): Promise<boolean> {
  const demo = await findDemo(core.db);
  if (demo === null) return false;
  if (demo.accountId !== null) await closeAccount(core, { accountId: demo.accountId });
  // Last: an interrupted start repeats all of it.
  await forgetDemo(core.db);
  return true;
}

async function closeAccount(core: Core, scope: Scope): Promise<void> {
  await revokeAccount(core, scope);
  await changeWebhookSettings(core, scope, { webhooksUri: "" });
  for (const { id } of await listChannels(core, scope))
    await removeChannel(core, scope, id, { deleteChats: false });
}

/**
 * The console's address; before the first login, the link that creates the first operator. Null: nothing to print.
 */
export async function consoleText(
  core: Core,
  { production }: { readonly production: boolean },
): Promise<string | null> {
  const link = await firstLink(core);
  if (link !== null)
    return `\nSet up the console. This link serves once, within a day ("${commandLine("operator link")}" makes another):\n  ${link}\n`;
  return production ? null : `\nConsole: ${core.settings.publicUrl}/app/console\n`;
}

/** Two commands that show the whole cycle: one as the CRM, one as the customer. */
export function demoText(
  demo: Demo,
  urls: {
    readonly service: string;
    readonly admin: string;
    readonly inbox: string;
    /** The page on which a person plays the customer. */
    readonly phone: string;
  },
): string {
  const message = JSON.stringify({
    channel_id: demo.channelId,
    recipient: { chat_type: "telegram", chat_id: DEMO_CUSTOMER_ID },
    text: "Hello from the CRM",
  });
  return `
A demo account was created: ${demo.accountId}. These are shown once:
  access token (/v2)  ${demo.accessToken}
  API key (/v3)       ${demo.apiKey}
  Telegram channel    ${demo.channelId}

Write to the customer as the CRM:
  curl ${urls.service}/v2/messages -H 'Authorization: Bearer ${demo.accessToken}' -H 'Content-Type: application/json' -d '${message}'

Answer as the customer, on the phone of the sandbox:
  ${urls.phone}#telegram+${DEMO_CUSTOMER_ID}/${DEMO_BOT_TOKEN.split(":")[0]}
or from the terminal:
  curl ${urls.admin}/messages -H 'Content-Type: application/json' -d '{"text":"Hello from the customer"}'

Webhooks arrive below and at ${urls.inbox}
`;
}
