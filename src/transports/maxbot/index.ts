import { defineTransport, type Verified } from "../../core/transport/connector.ts";
import { CredentialsError } from "../../core/transport/errors.ts";
import { fetchProfile } from "./bot.ts";
import { receive } from "./callback.ts";
import { type Access, createClient } from "./client.ts";
import { definition } from "./definition.ts";
import { isUnauthorized, Refusal, toTransportError } from "./errors.ts";
import { openSession } from "./session.ts";

async function verify(access: Access, signal: AbortSignal): Promise<Verified<Access["credentials"]>> {
  try {
    return { profile: await fetchProfile(createClient(access), signal) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isUnauthorized(error)) throw new CredentialsError("MAX rejected this bot token");
    throw toTransportError(error, "channel");
  }
}

export default defineTransport(definition, { verify, open: (link) => openSession(link), receive });
