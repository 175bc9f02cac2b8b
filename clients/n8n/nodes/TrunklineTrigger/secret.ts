import { type IHookFunctions, type IWebhookFunctions, NodeOperationError } from "n8n-workflow";
import { request } from "../../shared/request";

/** What the node keeps between webhooks. */
interface Kept {
  secret?: string;
  /** When the secret was last asked for, in milliseconds since 1970. */
  secretAt?: number;
}

type Functions = IHookFunctions | IWebhookFunctions;

export function keptOf(context: Functions): Kept {
  return context.getWorkflowStaticData("node") as Kept;
}

/**
 * Asks for the secret by which webhooks to this address are signed, and keeps it. It can only be read with the API
 * key.
 */
export async function renewSecret(context: Functions): Promise<string> {
  const address = context.getNodeWebhookUrl("default");
  const receivers = await request<{ receiverId: string; version: string; url: string }[]>(context, {
    method: "GET",
    path: "/v3/webhooks/receivers",
  });
  const receiver = receivers.find(({ version, url }) => version === "v2" && url === address);
  if (receiver === undefined)
    throw new NodeOperationError(
      context.getNode(),
      "The API key belongs to another account than the access token",
    );
  const { secret } = await request<{ secret: string }>(context, {
    method: "GET",
    path: "/v3/webhooks/secret",
    query: { receiverId: receiver.receiverId },
  });
  Object.assign(keptOf(context), { secret, secretAt: Date.now() });
  return secret;
}
