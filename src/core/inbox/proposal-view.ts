import type { SendRequest } from "../message/send.ts";
import type { Colleague } from "./chat-view.ts";

/** `sent`: accepted for sending; the message has a status of its own. */
export const PROPOSAL_STATES = ["waiting", "approved", "sent", "failed", "declined", "expired"] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** A message that a program proposes, as pages show it. */
export interface ProposalView {
  readonly state: ProposalState;
  /** The token that proposed it; `hint`: its last characters. */
  readonly token: { readonly id: string; readonly hint: string };
  readonly expires_at: string;
  readonly is_template: boolean;
  readonly quoted_id: string | null;
  readonly decided_by: Colleague | null;
  readonly decided_at: string | null;
  /** What was proposed, if the employee has changed it. */
  readonly proposed_text: string | null;
  /** The message that became of it. */
  readonly message_id: string | null;
  /** Why it could not be sent. */
  readonly error: string | null;
}

/** As stored in `chat_entries.details`. An expiry is not stored. */
export interface ProposalDetails {
  readonly state: Exclude<ProposalState, "expired">;
  readonly token: { readonly id: string; readonly hint: string };
  readonly expires_at: string;
  readonly template?: NonNullable<SendRequest["template"]>;
  readonly quotedMessageId?: string;
  readonly decidedBy?: Colleague;
  readonly decided_at?: string;
  readonly proposedText?: string;
  readonly messageId?: string;
  readonly error?: string;
}

/** The view at this time. Pure. */
export function proposalView(details: ProposalDetails, now: Date): ProposalView {
  const expiresAt = new Date(details.expires_at);
  const isExpired = details.state === "waiting" && expiresAt <= now;
  return {
    state: isExpired ? "expired" : details.state,
    token: details.token,
    expires_at: expiresAt.toISOString(),
    is_template: details.template !== undefined,
    quoted_id: details.quotedMessageId ?? null,
    decided_by: details.decidedBy ?? null,
    decided_at: details.decided_at === undefined ? null : new Date(details.decided_at).toISOString(),
    proposed_text: details.proposedText ?? null,
    message_id: details.messageId ?? null,
    error: details.error ?? null,
  };
}
