import type { ChatType } from "../transport/definition.ts";
import type { Event } from "./publish.ts";

/** The CRM is to create a contact, or a deal, and to answer with it. */
export interface CreationFact {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  /** What holds the requests for one client together. */
  readonly creationId: string;
  readonly request: ContactRequest | DealRequest;
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

/** `createContact` or `createDeal` of a v3 webhook. Pure. */
export function creationEvent({ accountId, channelId, chat, creationId, request }: CreationFact): Event {
  const kind = "contacts" in request ? "createDeal" : "createContact";
  return { accountId, kind, channelId, chat: creationId, subject: chat, body: request };
}
