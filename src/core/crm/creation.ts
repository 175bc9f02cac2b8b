import type { CreationSource } from "../payload/facts.ts";
import type { ChatType } from "../transport/definition.ts";
import type { NewClientRule } from "./settings.ts";

/** The occasion on which a request for a contact or a deal may be needed. */
export type Trigger =
  | { readonly kind: "wrote" }
  /** An employee's reply was sent; `userId` is the CRM's id of the employee. */
  | { readonly kind: "replied"; readonly userId: string }
  /** An employee requested a deal by button. */
  | { readonly kind: "pressed"; readonly userId: string };

/** What is known about a chat and its account at that time. */
export interface Circumstances {
  readonly chatType: ChatType;
  readonly rule: NewClientRule;
  /** A pipeline with stages is uploaded. */
  readonly hasPipeline: boolean;
  /** At least one employee gets new clients. */
  readonly hasEmployee: boolean;
  /** The client has written at least once. */
  readonly hasWritten: boolean;
  /** A request is waiting for the CRM's response. */
  readonly isAsked: boolean;
  readonly contact: KnownContact | null;
}

export interface KnownContact {
  readonly id: string;
  /** Null: none, or an employee who is not uploaded. */
  readonly responsibleUserId: string | null;
  /** Open or closed. */
  readonly hasDeal: boolean;
}

/** What to request from the CRM first. `responsible` null: the next employee of the round robin. */
export interface CreationDecision {
  readonly entity: "contact" | "deal";
  readonly responsible: string | null;
}

/** A group has many members, none of whom is the client. */
const GROUPS: ReadonlySet<ChatType> = new Set(["whatsgroup", "telegroup", "maxgroup"]);

/**
 * Decides whether to send a request to the CRM. Automatically, the service requests a contact or a deal if the client
 * has none and the account's rule says so; by button always. Never more than one at a time. Pure.
 */
export function decide(trigger: Trigger, known: Circumstances): CreationDecision | null {
  if (known.isAsked || GROUPS.has(known.chatType)) return null;
  const { contact } = known;
  if (trigger.kind !== "pressed" && (contact?.hasDeal === true || !isCaseOf(trigger, known))) return null;
  return { entity: contact === null ? "contact" : "deal", responsible: responsibleOf(trigger, contact) };
}

function isCaseOf(trigger: Trigger, { rule, hasPipeline, hasEmployee, hasWritten }: Circumstances): boolean {
  if (!hasPipeline || !hasEmployee || !hasWritten) return false;
  return trigger.kind === "wrote" ? rule === "in_turn" : rule === "first_respondent";
}

/**
 * A client's responsible employee stays responsible, except that an employee who presses the button takes the deal.
 */
function responsibleOf(trigger: Trigger, contact: KnownContact | null): string | null {
  if (trigger.kind === "pressed") return trigger.userId;
  const chosen = trigger.kind === "replied" ? trigger.userId : null;
  return contact?.responsibleUserId ?? chosen;
}

/**
 * The employee of the deal to request once the contact exists; null: no deal, because the contact has one. `chosen`
 * is the employee of the request for the contact. Pure.
 */
export function dealFor(
  contact: KnownContact,
  asked: { readonly source: CreationSource; readonly chosen: string },
): string | null {
  if (asked.source === "byUser") return asked.chosen;
  return contact.hasDeal ? null : (contact.responsibleUserId ?? asked.chosen);
}
