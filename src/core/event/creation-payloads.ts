import { withSnakeKeys } from "../../platform/foreign/snake-case.ts";
import type { ChatType } from "../transport/definition.ts";
import type { Event } from "./publish.ts";

/** Kinds of events that ask the CRM for an entity, which it answers with. */
export const CREATION_KINDS = {
  contact: { v3: "createContact", v2: "crm_entities.contact_add" },
  deal: { v3: "createDeal", v2: "crm_entities.deal_add" },
} as const;

/** All of them. */
export const ALL_CREATION_KINDS: readonly string[] = Object.values(CREATION_KINDS).flatMap(({ v3, v2 }) => [
  v3,
  v2,
]);

/** What an event of this kind asks for; null: nothing. */
export function entityAskedFor(kind: string): "contact" | "deal" | null {
  if (kind === CREATION_KINDS.contact.v3 || kind === CREATION_KINDS.contact.v2) return "contact";
  return kind === CREATION_KINDS.deal.v3 || kind === CREATION_KINDS.deal.v2 ? "deal" : null;
}

/** The CRM is to create a contact, or a deal, and to answer with it. */
export interface CreationFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  /** What holds the requests for one client together. */
  readonly creationId: string;
  readonly request: ContactRequest | DealRequest;
  /** The client, beside a request for a contact; v2 tells more of them than v3 has fields for. */
  readonly client: Client | null;
  /** How the account's CRM is asked. */
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

/** On a message, or by an employee's button. */
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

/** `createContact` or `createDeal` of a v3 webhook, or the v2 event that asks for the same. Pure. */
export function creationEvent(fact: CreationFact): Event {
  const { accountId, channelId, chat, creationId, request, client, version } = fact;
  const kind = CREATION_KINDS["contacts" in request ? "deal" : "contact"][version];
  const body =
    version === "v3" ? request : withSnakeKeys(client === null ? request : { ...request, recipient: client });
  return { accountId, kind, channelId, chat: creationId, subject: chat, body };
}
