import type { CreationSource } from "../event/creation-payloads.ts";
import type { ChatType } from "../transport/definition.ts";
import type { NewClientRule } from "./settings.ts";

/** What made us look whether the CRM has to be asked for a contact or a deal. */
export type Trigger =
  | { readonly kind: "wrote" }
  /** An employee's reply was sent; `userId` as the CRM named the employee. */
  | { readonly kind: "replied"; readonly userId: string }
  /** An employee asked for a deal by button. */
  | { readonly kind: "pressed"; readonly userId: string };

/** What is known of a chat and its account at that moment. */
export interface Circumstances {
  readonly chatType: ChatType;
  readonly rule: NewClientRule;
  /** A funnel with stages is loaded. */
  readonly hasPipeline: boolean;
  /** Somebody gets new clients. */
  readonly hasEmployee: boolean;
  /** The client has written at least once. */
  readonly hasWritten: boolean;
  /** The CRM has been asked and has not answered yet. */
  readonly isAsked: boolean;
  readonly contact: KnownContact | null;
}

export interface KnownContact {
  readonly id: string;
  /** Null: none, or an employee who is not loaded. */
  readonly responsibleUserId: string | null;
  /** Open or closed. */
  readonly hasDeal: boolean;
}

/** What to ask the CRM for first. `responsible` null: the employee whose turn it is. */
export interface Wish {
  readonly entity: "contact" | "deal";
  readonly responsible: string | null;
}

/** A group is many people, none of them the client. */
const GROUPS: ReadonlySet<ChatType> = new Set(["whatsgroup", "telegroup", "maxgroup"]);

/**
 * Decides whether the CRM is to be asked. By itself the service asks for a client without contact or deal when the
 * account's rule says so; by button always. Never twice at a time. Pure.
 */
export function decide(trigger: Trigger, known: Circumstances): Wish | null {
  if (known.isAsked || GROUPS.has(known.chatType)) return null;
  const { contact } = known;
  if (trigger.kind !== "pressed" && (contact?.hasDeal === true || !isCaseOf(trigger, known))) return null;
  return { entity: contact === null ? "contact" : "deal", responsible: responsibleOf(trigger, contact) };
}

function isCaseOf(trigger: Trigger, { rule, hasPipeline, hasEmployee, hasWritten }: Circumstances): boolean {
  if (!hasPipeline || !hasEmployee || !hasWritten) return false;
  return trigger.kind === "wrote" ? rule === "in_turn" : rule === "first_respondent";
}

/** A client who has a responsible employee keeps him; only who presses the button takes the deal himself. */
function responsibleOf(trigger: Trigger, contact: KnownContact | null): string | null {
  if (trigger.kind === "pressed") return trigger.userId;
  const chosen = trigger.kind === "replied" ? trigger.userId : null;
  return contact?.responsibleUserId ?? chosen;
}

/**
 * Whose deal to ask for once the contact is there; null: none, it has one. `chosen` is who was asked for with the
 * contact. Pure.
 */
export function dealFor(
  contact: KnownContact,
  asked: { readonly source: CreationSource; readonly chosen: string },
): string | null {
  if (asked.source === "byUser") return asked.chosen;
  return contact.hasDeal ? null : (contact.responsibleUserId ?? asked.chosen);
}
