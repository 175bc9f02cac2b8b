import { fields, flag, listOf, text } from "../../platform/foreign/foreign-json.ts";
import type { Base } from "../base.ts";
import { V2_EVENTS, type V2Event } from "../delivery/receiver/kinds.ts";
import {
  changeWebhookSettings,
  type HasWebhookTurns,
  type WebhookSettingsChange,
} from "../delivery/receiver/settings.ts";
import { addSubscriptions } from "../delivery/receiver/subscriptions.ts";
import type { HasAddressKeys } from "../delivery/request/request.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import { TakeoverFailed } from "./failure.ts";
import { NotGiven, type Original } from "./original.ts";

/** Where the original sends webhooks. */
export interface OriginalWebhooks {
  /** "": nowhere. */
  readonly webhooksUri: string;
  readonly subscriptions: NonNullable<WebhookSettingsChange["subscriptions"]>;
  /** Of `/v2`; null: they were not given. */
  readonly v2: readonly OriginalSubscription[] | null;
}

interface OriginalSubscription {
  readonly id: string;
  readonly url: string;
  readonly event: string;
}

const settings = fields({
  webhooksUri: text,
  subscriptions: fields({
    messagesAndStatuses: flag,
    contactsAndDealsCreation: flag,
    channelsUpdates: flag,
    templateStatus: flag,
    wabaTemplatesStatus: flag,
    templateStatuses: flag,
  }),
});
const subscriptions = fields({ data: listOf(fields({ id: text, url: text, event: text })) });

/** Reads the settings; changes nothing. */
export async function readWebhooks(original: Original): Promise<OriginalWebhooks> {
  const { webhooksUri = "", subscriptions: switches = {} } =
    settings(await original.get("/v3/webhooks")) ?? {};
  const { messagesAndStatuses, contactsAndDealsCreation, channelsUpdates, ...templates } = switches;
  const templateStatus = Object.values(templates).filter((each) => each !== undefined);
  return {
    webhooksUri,
    subscriptions: {
      ...(messagesAndStatuses === undefined ? {} : { messagesAndStatuses }),
      ...(contactsAndDealsCreation === undefined ? {} : { contactsAndDealsCreation }),
      ...(channelsUpdates === undefined ? {} : { channelsUpdates }),
      ...(templateStatus.length === 0 ? {} : { templateStatus: [templateStatus.includes(true)] }),
    },
    v2: await readSubscriptions(original),
  };
}

async function readSubscriptions(original: Original): Promise<readonly OriginalSubscription[] | null> {
  try {
    const { data = [] } = subscriptions(await original.get("/v2/webhooks")) ?? {};
    return data.flatMap(({ id, url, event }) =>
      id === undefined || url === undefined || event === undefined ? [] : [{ id, url, event }],
    );
  } catch (error) {
    if (error instanceof NotGiven) return null;
    throw error;
  }
}

type Parts = Base & HasAddressKeys & HasWebhookTurns;

export interface SwitchRequest {
  /** Sent to the receiver as `Authorization: Bearer`; the original does not tell it. Null: none. */
  readonly crmKey: string | null;
  /** Whether the original stops sending webhooks, once this service sends them. */
  readonly turnsOffOriginal: boolean;
}

export interface Switched {
  readonly webhooks: OriginalWebhooks;
  /** Events of the original's subscriptions that this service does not have. */
  readonly unknownEvents: readonly string[];
  readonly isOriginalOff: boolean;
}

/**
 * Gives this account the original's receivers: first those of v3, which must pass the test request, and those of v2.
 * Only then, and only if asked, are they removed from the original. Idempotent; after a crash in between, both services
 * send webhooks until the switch is repeated. Without receivers at the original, nothing changes.
 */
export async function switchWebhooks(
  core: Parts,
  scope: Scope,
  { original, request }: { readonly original: Original; readonly request: SwitchRequest },
): Promise<Switched> {
  const webhooks = await readWebhooks(original);
  const v2 = webhooks.v2 ?? [];
  if (webhooks.webhooksUri === "" && v2.length === 0)
    throw new TakeoverFailed(
      "The original sends no webhooks: it has no address. Nothing was changed. If an earlier switch has turned it off, the addresses are here already.",
    );
  const known = v2.flatMap(({ url, event }) => (isKnown(event) ? [{ url, event }] : []));
  if (webhooks.webhooksUri !== "")
    await naming([webhooks.webhooksUri], () =>
      changeWebhookSettings(core, scope, changeOf(webhooks, request)),
    );
  if (known.length > 0)
    await naming(
      known.map(({ url }) => url),
      () => addSubscriptions(core, { ...scope, application: null, scope: null }, known),
    );
  if (request.turnsOffOriginal) await turnOff(original, webhooks);
  const unknownEvents = [...new Set(v2.map(({ event }) => event).filter((event) => !isKnown(event)))];
  return { webhooks, unknownEvents, isOriginalOff: request.turnsOffOriginal };
}

/** Names the addresses that this service refuses. */
async function naming(addresses: readonly string[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const shown = [...new Set(addresses)].join(", ");
    throw new TakeoverFailed(
      `${shown}: ${error.message} ${JSON.stringify(error.data ?? {})}. Nothing was changed at the original.`,
    );
  }
}

function changeOf(
  { webhooksUri, subscriptions: switches }: OriginalWebhooks,
  { crmKey }: SwitchRequest,
): WebhookSettingsChange {
  return { webhooksUri, subscriptions: switches, ...(crmKey === null ? {} : { crmKey }) };
}

function isKnown(event: string): event is V2Event {
  return (V2_EVENTS as readonly string[]).includes(event);
}

async function turnOff(original: Original, { webhooksUri, v2 }: OriginalWebhooks): Promise<void> {
  if (webhooksUri !== "") await original.patch("/v3/webhooks", { webhooksUri: "" });
  if (v2 !== null && v2.length > 0)
    await original.delete("/v2/webhooks", { data: v2.map(({ id }) => ({ id })) });
}
