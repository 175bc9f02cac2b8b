import { GraphRefusal } from "../../meta/error.ts";
import type { Graph } from "../../meta/graph.ts";
import { channelFault, toTransportError } from "../errors.ts";
import type { WapiLink } from "./access.ts";

/** When the history was requested, and from when on nothing more is expected; Unix milliseconds. */
const ASKED = "historyAskedAt";
const ENDS = "historyEndsAt";
/** Chunks and files may arrive this long after the last chunk. */
const LAST_MS = 3_600_000;
/** A number that is asked, and gives nothing for this long, has no history. */
const LONGEST_MS = 24 * 3_600_000;
/** When the contacts of the app were requested. */
const CONTACTS = "contactsAskedAt";
/** Meta answers no request that comes more than a day after the onboarding. */
const CONTACTS_MS = 20 * 3_600_000;

/**
 * Requests the history of a number that is also in the WhatsApp Business app, once: Meta answers one request, within a
 * day after the onboarding, and sends the history to the app's webhook (page "Onboarding WhatsApp Business app users").
 * The contacts of the app are requested last, once, so that they name the imported chats. Ends the import when nothing
 * more is expected. Call it repeatedly. Throws what the request throws, unless Meta refuses
 * it for good.
 */
export async function followHistory(
  graph: Graph,
  link: WapiLink,
  signal: AbortSignal,
  now: number = Date.now(),
): Promise<void> {
  if ((await link.history()) === null) return;
  const asked = await link.state.get(ASKED);
  if (asked === null) return ask(graph, link, { signal, now });
  const ends = await link.state.get(ENDS);
  const endsAt = ends === null ? Number(asked) + LONGEST_MS : Number(ends);
  if (now >= Math.min(endsAt, Number(asked) + CONTACTS_MS))
    await askForContacts(graph, link, { signal, now });
  if (now < endsAt) return;
  await link.emit({ kind: "history", messages: [], isDone: true });
  await link.state.set(ENDS, null);
}

/** The last chunk has arrived. */
export async function noteEnd(
  link: Pick<WapiLink, "state" | "history">,
  now: number = Date.now(),
): Promise<void> {
  if ((await link.history()) !== null) await link.state.set(ENDS, String(now + LAST_MS));
}

interface Asking {
  readonly signal: AbortSignal;
  readonly now: number;
}

async function ask(graph: Graph, link: WapiLink, { signal, now }: Asking): Promise<void> {
  const refusal = await requestSync(graph, link, "history", signal);
  if (refusal !== null) {
    link.log("warn", "Meta gives no history of this number", { detail: refusal });
    await link.emit({ kind: "history", messages: [], isDone: true });
  }
  await link.state.set(ASKED, String(now));
}

async function askForContacts(graph: Graph, link: WapiLink, { signal, now }: Asking): Promise<void> {
  if ((await link.state.get(CONTACTS)) !== null) return;
  const refusal = await requestSync(graph, link, "smb_app_state_sync", signal);
  if (refusal !== null) link.log("warn", "Meta gives no contacts of this number", { detail: refusal });
  await link.state.set(CONTACTS, String(now));
}

/** Returns why Meta refuses it for good; null if it does not. */
async function requestSync(
  graph: Graph,
  link: WapiLink,
  type: "history" | "smb_app_state_sync",
  signal: AbortSignal,
): Promise<string | null> {
  const path = `${link.credentials.phone_number_id}/smb_app_data`;
  try {
    await graph.call("POST", path, { body: { messaging_product: "whatsapp", sync_type: type }, signal });
    return null;
  } catch (error) {
    if (!(error instanceof GraphRefusal) || channelFault(error.error) !== null) throw error;
    if (toTransportError(error).retry !== "never") throw error;
    return error.message;
  }
}
