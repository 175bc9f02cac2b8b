import { withSnakeKeys } from "../../../platform/foreign/snake-case.ts";
import type { Event } from "../../event/publish.ts";
import type { ChatType } from "../../transport/definition.ts";

/** Kinds of events that request an entity from the CRM, which the CRM returns in its response. */
export const CREATION_KINDS = {
  contact: { v3: "createContact", v2: "crm_entities.contact_add" },
  deal: { v3: "createDeal", v2: "crm_entities.deal_add" },
} as const;

export const ALL_CREATION_KINDS: readonly string[] = Object.values(CREATION_KINDS).flatMap(({ v3, v2 }) => [
  v3,
  v2,
]);

/** The entity that events of this kind request; null: none. */
export function entityAskedFor(kind: string): "contact" | "deal" | null {
  if (kind === CREATION_KINDS.contact.v3 || kind === CREATION_KINDS.contact.v2) return "contact";
  return kind === CREATION_KINDS.deal.v3 || kind === CREATION_KINDS.deal.v2 ? "deal" : null;
}

/** A request to the CRM to create a contact or a deal and to return it. */
export interface CreationFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  /** The same for all requests for one client. */
  readonly creationId: string;
  readonly request: ContactRequest | DealRequest;
  /** The client, with a request for a contact; v2 has more fields for it than v3. */
  readonly client: Client | null;
  /** The version in which the account's CRM receives requests. */
  readonly version: "v2" | "v3";
}

/** The person of a chat. */
export interface Client {
  readonly chatId: string;
  readonly chatType: ChatType;
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
}

/** `auto`: a message caused the request; `byUser`: an employee's button. */
export type CreationSource = "auto" | "byUser";

/** Value of `createContact`, in the interface's spelling. */
export interface ContactRequest {
  readonly responsibleUserId: string;
  readonly name: string;
  readonly contactData: readonly { readonly chatType: ChatType; readonly chatId: string }[];
  readonly source: CreationSource;
}

/** Value of `createDeal`. */
export interface DealRequest {
  readonly responsibleUserId: string;
  /** Ids of contacts. */
  readonly contacts: readonly string[];
  readonly source: CreationSource;
}

/** `createContact` or `createDeal` of a v3 webhook, or the equivalent v2 event. Pure. */
export function creationEvent(fact: CreationFact): Event {
  const { accountId, channelId, chat, creationId, request, client, version } = fact;
  const kind = CREATION_KINDS["contacts" in request ? "deal" : "contact"][version];
  const body =
    version === "v3" ? request : withSnakeKeys(client === null ? request : { ...request, recipient: client });
  return { accountId, kind, channelId, chat: creationId, subject: chat, body };
}
