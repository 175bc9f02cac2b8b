import { type Queryable, sql } from "../../database/database.ts";
import { withCamelKeys } from "../../platform/foreign/snake-case.ts";
import type { Base } from "../base.ts";
import type { HasLive } from "../event/live-notifier.ts";
import type { Published } from "../event/log.ts";
import { announce } from "../event/publish.ts";
import { CREATION_KINDS, entityAskedFor } from "../payload/creation-kinds.ts";
import type { ContactRequest, DealRequest } from "../payload/facts.ts";
import type { Scope } from "../scope.ts";
import { askedOnV2, isAskedFor } from "./asked.ts";
import { findClient, findKnownContact } from "./client.ts";
import { type CrmEntities, notifyClientChange, notifyingClientChanges } from "./client-changes.ts";
import type { Contact, ContactChange } from "./contact.ts";
import { completeContact } from "./contacts.ts";
import { dealFor, type KnownContact } from "./creation.ts";
import type { Deal, DealChange } from "./deal.ts";
import { completeDeal } from "./deals.ts";
import { publishRequests } from "./publish-requests.ts";

/** A request for a contact or a deal on its way to the CRM. `chat` groups the requests for one client. */
export interface CreationEvent {
  readonly kind: string;
  readonly chat: string | null;
  /** JSON text. */
  readonly body: string;
}

type Request = { readonly id: string; readonly version: "v2" | "v3" } & (
  | { readonly entity: "contact"; readonly body: ContactRequest }
  | { readonly entity: "deal"; readonly body: DealRequest }
);

/** Whether the receiver's response to events of this kind is an entity to parse and store. */
export function isCreation(kind: string): boolean {
  return entityAskedFor(kind) !== null;
}

function requestOf({ kind, chat, body }: CreationEvent): Request | null {
  const entity = entityAskedFor(kind);
  if (chat === null || entity === null) return null;
  const version = kind === CREATION_KINDS[entity].v2 ? "v2" : "v3";
  return { entity, id: chat, version, body: withCamelKeys(JSON.parse(body)) } as Request;
}

/** The client of a request that is still waiting for its response. */
interface OpenRequest {
  readonly chat: string;
  readonly channel_id: string;
  readonly chat_type: string;
  readonly chat_id: string;
}

const FIND = sql(
  "crm_creation_find",
  `select chat, channel_id, chat_type, chat_id from client_creations
   where account_id = $1 and id = $2 and entity = $3`,
);

/**
 * Checks, before a request is posted, whether it is still needed: the CRM may have uploaded the entity, or a newer
 * request may have replaced it. If not, `drop` is called in the transaction that publishes what follows, to remove
 * the event from its queue, and the result is true. If `drop` finds no such event, nothing follows.
 */
export async function settleWithoutAsking(
  core: Base & HasLive,
  scope: Scope,
  event: CreationEvent,
  drop: (tx: Queryable) => Promise<boolean>,
): Promise<boolean> {
  const request = requestOf(event);
  if (request === null) return false;
  const [open] = await core.db.query<OpenRequest>(FIND, [scope.accountId, request.id, request.entity]);
  const contact = open === undefined ? null : await knownFor(core, scope, open, request);
  if (open !== undefined && contact === null) return false;
  const published = await core.db.tx(async (tx) =>
    (await drop(tx)) && contact !== null ? goOn(tx, scope, request, contact) : [],
  );
  announce(core, published);
  if (open !== undefined) notifyClientChange(core, scope.accountId, open.chat);
  return true;
}

/** The contact that makes the request unnecessary; null: there is none. */
async function knownFor(
  core: Base,
  scope: Scope,
  { chat }: OpenRequest,
  { entity, body }: Request,
): Promise<KnownContact | null> {
  if (entity === "contact") return findClient(core.db, scope, chat);
  const contact =
    body.source === "auto" ? await findKnownContact(core.db, scope, body.contacts[0] ?? "") : null;
  return contact?.hasDeal === true ? contact : null;
}

/** Why a successful response of the CRM contains no valid entity; null: it does, or none is expected. */
export async function answerFault(event: CreationEvent, answer: string | null): Promise<string | null> {
  const request = requestOf(event);
  if (request === null) return null;
  const read = await readerOf(request, answer);
  return "fault" in read ? read.fault : null;
}

/**
 * Stores the entity of the CRM's response. `acknowledge` is called in the same transaction, to remove the event from
 * its queue, and the request for the deal that follows a contact is published in it. Without an entity to store,
 * `acknowledge` has the transaction for itself.
 */
export async function storeAnswer<T>(
  core: Base & HasLive,
  scope: Scope,
  { event, answer }: { readonly event: CreationEvent; readonly answer: string | null },
  acknowledge: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const request = requestOf(event);
  const read = request === null ? null : await readerOf(request, answer);
  if (read === null || "fault" in read) return core.db.tx(acknowledge);
  const { acknowledged, published } = await notifyingClientChanges(core, scope, read.entities, () =>
    core.db.tx(async (tx) => ({
      acknowledged: await acknowledge(tx),
      published: await read.store(tx, scope),
    })),
  );
  announce(core, published);
  return acknowledged;
}

type Reading =
  | { readonly fault: string }
  | {
      readonly entities: CrmEntities;
      /** Returns what it published. */
      store(tx: Queryable, scope: Scope): Promise<readonly Published[]>;
    };

/** The schemas are loaded with the first answer of a CRM. */
async function readerOf(request: Request, answer: string | null): Promise<Reading> {
  const { contactAnswered, dealAnswered } = await import("./creation-answer.ts");
  if (request.entity === "contact") {
    const answered = contactAnswered(answer, request.version);
    if ("fault" in answered) return answered;
    return {
      entities: { contacts: [answered.entity.id] },
      store: (tx, scope) => storeContact(tx, scope, request, answered.entity),
    };
  }
  const answered = dealAnswered(answer, request.version);
  if ("fault" in answered) return answered;
  return {
    entities: { deals: [answered.entity.id] },
    store: (tx, scope) => storeDeal(tx, scope, request, answered.entity),
  };
}

async function storeContact(
  tx: Queryable,
  scope: Scope,
  request: Request & { entity: "contact" },
  answered: ContactChange,
): Promise<readonly Published[]> {
  const { responsibleUserId, name, contactData } = request.body;
  const fresh = { responsibleUserId, name, contactData: [] };
  const { id } = await completeContact(tx, scope, answered.id, (stored) =>
    withChats({ ...fresh, ...stored, ...answered }, contactData),
  );
  const contact = await findKnownContact(tx, scope, id);
  return contact === null ? [] : goOn(tx, scope, request, contact);
}

/** The chat in the request belongs to the contact, even if the response does not mention it. */
function withChats(contact: Contact, asked: ContactRequest["contactData"]): Contact {
  const missing = asked.filter(
    ({ chatType, chatId }) =>
      !contact.contactData.some((chat) => chat.chatType === chatType && chat.chatId === chatId),
  );
  return { ...contact, contactData: [...contact.contactData, ...missing] };
}

async function storeDeal(
  tx: Queryable,
  scope: Scope,
  request: Request & { entity: "deal" },
  answered: DealChange,
): Promise<readonly Published[]> {
  const { responsibleUserId, contacts } = request.body;
  const fresh = { responsibleUserId, name: "", contacts: [], closed: false };
  await completeDeal(tx, scope, answered.id, (stored) =>
    withContacts({ ...fresh, ...stored, ...answered }, contacts),
  );
  return finish(tx, scope, request);
}

function withContacts(deal: Deal, asked: readonly string[]): Deal {
  return { ...deal, contacts: [...new Set([...deal.contacts, ...asked])] };
}

const ADVANCE = sql(
  "crm_creation_advance",
  `update client_creations set entity = 'deal', asked_at = now()
   where account_id = $1 and id = $2 and entity = 'contact' and ${isAskedFor("deal", "$1")}
   returning chat, channel_id, chat_type, chat_id, ${askedOnV2("deal", "$1")} as asked_on_v2`,
);
const FINISH = sql(
  "crm_creation_finish",
  "delete from client_creations where account_id = $1 and id = $2 and entity = $3",
);

/**
 * The contact exists: requests its deal, or ends the request if it has one or nobody takes deals. Only the first time.
 * Returns what it published.
 */
async function goOn(
  tx: Queryable,
  scope: Scope,
  request: Request,
  contact: KnownContact,
): Promise<readonly Published[]> {
  const { source, responsibleUserId: chosen } = request.body;
  const responsibleUserId = request.entity === "contact" ? dealFor(contact, { source, chosen }) : null;
  if (responsibleUserId === null) return finish(tx, scope, request);
  const [open] = await tx.query<OpenRequest & { readonly asked_on_v2: boolean }>(ADVANCE, [
    scope.accountId,
    request.id,
  ]);
  if (open === undefined) return finish(tx, scope, request);
  const deal = { responsibleUserId, contacts: [contact.id], source };
  const { chat, channel_id: channelId } = open;
  const { accountId } = scope;
  const version = open.asked_on_v2 ? "v2" : "v3";
  const creation = {
    accountId,
    channelId,
    chat,
    creationId: request.id,
    request: deal,
    client: null,
    version,
  } as const;
  return publishRequests(tx, [{ kind: "creation", creation }]);
}

async function finish(tx: Queryable, { accountId }: Scope, { id, entity }: Request): Promise<[]> {
  await tx.query(FINISH, [accountId, id, entity]);
  return [];
}
