import { announce } from "../update/announce.ts";
import type { World } from "../world.ts";
import type { Template, TemplateStatus } from "./template.ts";

/** Meta's decisions about a template, and the resulting status; `undefined` keeps the status. */
export const moderationEvents: Readonly<Record<string, TemplateStatus | undefined>> = {
  APPROVED: "APPROVED",
  PENDING: "PENDING",
  REJECTED: "REJECTED",
  PAUSED: "PAUSED",
  DISABLED: "DISABLED",
  REINSTATED: "APPROVED",
  IN_APPEAL: "IN_APPEAL",
  PENDING_DELETION: "PENDING_DELETION",
  LIMIT_EXCEEDED: "LIMIT_EXCEEDED",
  ARCHIVED: "ARCHIVED",
  DELETED: undefined,
  FLAGGED: undefined,
  LOCKED: undefined,
};

/** A decision with its reasons. */
export interface Moderation {
  readonly event: string;
  /** For example `INVALID_FORMAT`; default `NONE`, and `INVALID_FORMAT` for a rejection. */
  readonly reason?: string;
  /** e.g. `FIRST_PAUSE`, for pauses. */
  readonly title?: string;
  readonly description?: string;
}

/** Changes the template and reports it; returns the number of addresses. */
export function moderate(world: World, template: Template, decision: Moderation): number {
  const { event } = decision;
  const reason = decision.reason ?? (event === "REJECTED" ? "INVALID_FORMAT" : "NONE");
  template.status = moderationEvents[event] ?? template.status;
  template.rejectedReason = event === "REJECTED" ? reason : "NONE";
  if (event === "DELETED") world.templates.delete(template.id);
  world.changed();
  const value = {
    event,
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
    reason: event === "PENDING_DELETION" ? null : reason,
    message_template_category: template.category,
    ...explain(world, decision, reason),
  };
  const place = { waba: world.waba(template.wabaId), orderingKey: `template ${template.id}` };
  return announce(world, place, { field: "message_template_status_update", value });
}

function explain(world: World, { event, title, description }: Moderation, reason: string) {
  if (event === "REJECTED" && reason === "INVALID_FORMAT") {
    return {
      rejection_info: {
        reason: description ?? "Your template has parameters placed next to each other.",
        recommendation: "Separate parameters with descriptive text.",
      },
    };
  }
  if (event === "DISABLED") return { disable_info: { disable_date: String(world.clock.now()) } };
  if (event === "PAUSED" || title !== undefined) {
    return {
      other_info: {
        title: title ?? "FIRST_PAUSE",
        description: description ?? "Your WhatsApp message template has been paused for 3 hours.",
      },
    };
  }
  return {};
}
