import { type IDataObject, type IHookFunctions, NodeOperationError } from "n8n-workflow";
import { request } from "../../shared/request";
import { keptOf, renewSecret } from "./secret";

interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly event: string;
}

const PATH = "/v2/webhooks";

/** Whether the node's address has exactly the events that it is set to, and the secret is known. */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
  const wanted = eventsOf(context);
  const present = (await subscriptionsOf(context)).map(({ event }) => event);
  const isSame = present.length === wanted.size && present.every((event) => wanted.has(event));
  return isSame && keptOf(context).secret !== undefined;
}

/**
 * Subscribes the node's address to its events, and ends what it was subscribed to before. All other addresses of the
 * account, such as the CRM's, keep what they get.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
  const { apiKey } = await context.getCredentials("trunklineApi");
  if (typeof apiKey !== "string" || apiKey === "") {
    const text = "The credentials need the API key, by which the trigger verifies that webhooks are genuine";
    throw new NodeOperationError(context.getNode(), text);
  }
  const url = context.getNodeWebhookUrl("default");
  const wanted = eventsOf(context);
  const data = [...wanted].map((event) => ({ url, event }));
  await request(context, { method: "POST", path: PATH, body: { data } as unknown as IDataObject });
  try {
    await renewSecret(context);
    const others = (await subscriptionsOf(context)).filter(({ event }) => !wanted.has(event));
    await remove(context, others);
  } catch (error) {
    // Otherwise events would wait for a workflow that is not active.
    await unsubscribe(context);
    throw new NodeOperationError(context.getNode(), error as Error);
  }
}

/** Ends all subscriptions of the node's address. Idempotent. */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  await remove(context, await subscriptionsOf(context));
  delete keptOf(context).secret;
}

function eventsOf(context: IHookFunctions): Set<string> {
  const events = context.getNodeParameter("events", []) as string[];
  if (events.length === 0) throw new NodeOperationError(context.getNode(), "Choose at least one event");
  return new Set(events);
}

async function subscriptionsOf(context: IHookFunctions): Promise<Subscription[]> {
  const address = context.getNodeWebhookUrl("default");
  const { data } = await request<{ data: Subscription[] }>(context, { method: "GET", path: PATH });
  return data.filter(({ url }) => url === address);
}

async function remove(context: IHookFunctions, subscriptions: readonly Subscription[]): Promise<void> {
  if (subscriptions.length === 0) return;
  const body = { data: subscriptions.map(({ id }) => id) };
  await request(context, { method: "DELETE", path: PATH, body });
}
