import { messageOf } from "../../../platform/message-of.ts";
import { graphOf, type WapiLink } from "../linking/access.ts";
import { listTemplates } from "../outbound/templates.ts";

/** By channel, while its templates are being fetched; a link if something has changed meanwhile. */
const waiting = new Map<string, WapiLink | null>();

/**
 * Fetches all templates of a channel. One fetch at a time: calls during a fetch cause one more fetch after it. Never
 * rejects.
 */
export async function refreshTemplates(link: WapiLink): Promise<void> {
  const { channelId } = link;
  if (waiting.has(channelId)) {
    waiting.set(channelId, link);
    return;
  }
  for (let next: WapiLink | null = link; next !== null; next = waiting.get(channelId) ?? null) {
    waiting.set(channelId, null);
    await fetchTemplates(next);
  }
  waiting.delete(channelId);
}

async function fetchTemplates(link: WapiLink): Promise<void> {
  try {
    const templates = await listTemplates(graphOf(link), link.credentials.waba_id, link.signal);
    await link.emit({ kind: "templates", templates });
  } catch (error) {
    const detail = messageOf(error);
    link.log("info", "WhatsApp: the templates could not be fetched", { detail });
  }
}
