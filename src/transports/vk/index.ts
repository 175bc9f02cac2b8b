import { defineTransport, type Verified } from "../../core/transport/connector.ts";
import { CredentialsError } from "../../core/transport/errors.ts";
import { receive } from "./callback.ts";
import { type Access, createClient, type VkClient } from "./client.ts";
import { fetchProfile } from "./community.ts";
import { definition } from "./definition.ts";
import { isUnauthorized, Refusal, toTransportError } from "./errors.ts";
import { openSession } from "./session.ts";
import { signIn } from "./sign-in.ts";
import { readPermissions } from "./update.ts";

/** The rights that every channel needs. Others are checked only when they are used. */
const NEEDED_RIGHTS = ["messages", "manage"] as const;

async function verify(access: Access, signal: AbortSignal): Promise<Verified<Access["credentials"]>> {
  const client = createClient(access);
  try {
    const profile = await fetchProfile(client, signal);
    await checkRights(client, signal);
    return { profile };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isUnauthorized(error)) throw new CredentialsError("VK rejected this community key");
    throw toTransportError(error);
  }
}

/** dev.vk.com, `groups.getTokenPermissions` */
async function checkRights(client: VkClient, signal: AbortSignal): Promise<void> {
  const { permissions = [] } =
    readPermissions(await client.call("groups.getTokenPermissions", {}, signal)) ?? {};
  const missing = NEEDED_RIGHTS.filter((right) => !permissions.some(({ name }) => name === right));
  if (missing.length > 0)
    throw new CredentialsError(`The community key lacks these rights: ${missing.join(", ")}`);
}

export default defineTransport(definition, { verify, signIn, open: (link) => openSession(link), receive });
