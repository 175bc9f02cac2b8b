import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from "n8n-workflow";
import { isGenuine, type SignedWebhook } from "../../shared/signature";
import { keptOf, renewSecret } from "./secret";

/** After a webhook with a wrong signature, the secret is asked for again at most so often: it may have been replaced. */
const RENEWAL_MS = 60_000;

/** The events that the node's switches about customers concern. */
const OF_MESSAGES = ["message.add", "message.edit", "message.delete"];

interface Body {
  readonly event?: string;
  readonly data?: readonly IDataObject[];
  readonly meta?: IDataObject;
  /** The service asks whether somebody answers, or sends an example. */
  readonly test?: boolean;
}

/** Verifies a webhook and returns an item for each of its events; none if it is a test or left out by the settings. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const { rawBody } = context.getRequestObject() as { readonly rawBody?: Buffer };
  const headers = context.getHeaderData() as Readonly<Record<string, unknown>>;
  if (!(await isFromService(context, { headers, body: rawBody ?? Buffer.alloc(0) }))) {
    context.getResponseObject().status(401).json({ error: "The signature is missing or wrong" });
    return { noWebhookResponse: true };
  }
  const body = context.getBodyData() as Body;
  const items = isForWorkflow(context, body) ? itemsOf(context, body, headers) : [];
  if (items.length === 0) return { webhookResponse: { accepted: true } };
  return { workflowData: [context.helpers.returnJsonArray(items)] };
}

/** Examples are shown in the editor only. */
function isForWorkflow(context: IWebhookFunctions, { event, test }: Body): boolean {
  return event !== undefined && (test !== true || context.getMode() === "manual");
}

async function isFromService(context: IWebhookFunctions, webhook: SignedWebhook): Promise<boolean> {
  const kept = keptOf(context);
  if (kept.secret !== undefined && isGenuine(kept.secret, webhook)) return true;
  if (Date.now() - (kept.secretAt ?? 0) < RENEWAL_MS) return false;
  kept.secretAt = Date.now();
  return isGenuine(await renewSecret(context), webhook);
}

function itemsOf(
  context: IWebhookFunctions,
  { event, data = [] }: Body,
  headers: Readonly<Record<string, unknown>>,
): IDataObject[] {
  const channels = context.getNodeParameter("channelIds", []) as string[];
  const onlyFromCustomers =
    OF_MESSAGES.includes(String(event)) && (context.getNodeParameter("onlyFromCustomers", true) as boolean);
  return (
    data
      // Exports of messages are of no channel.
      .filter(
        ({ channel_id: id }) => id === undefined || channels.length === 0 || channels.includes(String(id)),
      )
      .filter(({ direction }) => !onlyFromCustomers || direction === "inbound")
      .map((item) => ({ event, webhook_id: headers["webhook-id"] as string, ...item }))
  );
}
