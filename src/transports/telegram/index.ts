import { type ChannelLink, defineTransport } from "../../core/transport/connector.ts";
import { CredentialsError } from "../../core/transport/errors.ts";
import type { ChannelProfile } from "../../core/transport/events.ts";
import type { TelegramLink } from "./bot.ts";
import { fetchProfile } from "./bot.ts";
import { receive } from "./callback.ts";
import { createClient } from "./client.ts";
import { definition } from "./definition.ts";
import { isUnauthorized, Refusal, toTransportError } from "./errors.ts";
import { openSession } from "./session.ts";

type Access = Pick<TelegramLink, "credentials" | "settings"> & Pick<ChannelLink, "request">;

async function verify(access: Access, signal: AbortSignal): Promise<{ profile: ChannelProfile }> {
  try {
    return { profile: await fetchProfile(createClient(access), signal) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isUnauthorized(error)) throw new CredentialsError("Telegram rejected this bot token");
    throw toTransportError(error, "channel");
  }
}

export default defineTransport(definition, { verify, open: (link) => openSession(link), receive });
