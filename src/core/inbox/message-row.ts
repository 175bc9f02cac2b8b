import type { FactRow } from "../message/load-facts.ts";
import type { TemplateComponent } from "../transport/template.ts";

/**
 * State of a file: not downloaded yet, stored, or failed for good. The file of an imported message is shown as stored: it
 * is fetched when its link is opened.
 */
export type FileState = "waiting" | "stored" | "failed";

/** A person's present reaction to a message. */
export interface ReactionView {
  readonly emoji: string;
  /** "" for the channel's own. */
  readonly name: string;
  readonly is_ours: boolean;
}

/** `placed_at`: Unix microseconds. */
export interface MessageRow extends FactRow {
  readonly placed_at: number;
  readonly crm_message_id: string | null;
  readonly transport: string;
  readonly channel_active: boolean;
  readonly delivered_at: Date | null;
  readonly file_state: FileState | null;
  readonly reactions: readonly ReactionView[] | null;
  readonly components: readonly TemplateComponent[] | null;
}
