import type { Base } from "../base.ts";
import type { OutgoingContent } from "../content.ts";
import { AppError } from "../errors.ts";
import { checkEditable, checkRemovable, editEndOf } from "../message/change-rules.ts";
import type { MessageRow } from "./message-row.ts";

/** Which changes of a message the interface and the transport allow now. */
export interface MessageChanges {
  /** Null: it cannot be edited, or no longer; a date in the far future: there is no time limit. */
  readonly can_edit_until: string | null;
  readonly can_edit_file: boolean;
  readonly can_delete: boolean;
  readonly can_resend: boolean;
  readonly can_react: boolean;
}

const NEVER_ENDS = "9999-12-31T23:59:59.999Z";
const NOTHING: MessageChanges = {
  can_edit_until: null,
  can_edit_file: false,
  can_delete: false,
  can_resend: false,
  can_react: false,
};

/** For the present time. Pure. */
export function changesOf(
  { transports, clock }: Pick<Base, "transports" | "clock">,
  row: MessageRow,
): MessageChanges {
  const capabilities = transports.get(row.transport)?.definition.capabilities;
  if (!row.channel_active || capabilities === undefined) return NOTHING;
  const isThere = row.deleted_at === null && row.status !== "queued" && row.status !== "error";
  const canReact = isThere && capabilities.reactions?.send === true;
  if (row.direction === "in") return { ...NOTHING, can_react: canReact };
  const message = { ...row, content: row.content as OutgoingContent | null };
  const now = clock.now();
  const isWaiting = row.status === "queued" && row.deleted_at === null;
  const canEdit = passes(() => checkEditable(capabilities, message, {}, now));
  return {
    can_edit_until: canEdit ? (editEndOf(capabilities, message)?.toISOString() ?? NEVER_ENDS) : null,
    can_edit_file: canEdit && capabilities.edit?.parts.includes("attachment") === true,
    can_delete: isWaiting || passes(() => checkRemovable(capabilities, message, now)),
    can_react: canReact,
    can_resend: row.direction === "out" && row.status === "error" && row.deleted_at === null,
  };
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
