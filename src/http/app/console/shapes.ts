import { Type } from "typebox";
import type { LogLine } from "../../../core/console/channels.ts";
import { nullableUuid } from "../../schema/shapes.ts";

/** The account to which a list is limited. */
export const accountQuery = Type.Object({
  account: Type.Optional(
    Type.String({
      pattern: "^([0-9]{8}|[12][0-9]{9})$",
      description: "Only of this account; default: all accounts that the user may see",
    }),
  ),
});
export const accountPath = Type.Object({ account: Type.String({ description: "Id of the account" }) });
export const channelPath = Type.Object({
  ...accountPath.properties,
  channel: Type.String({ description: "Id of the channel" }),
});

/** The limit of a query: at least one, at most a thousand. */
export function countOf(text: string | undefined, fallback: number): number {
  return Math.min(Math.max(Number(text ?? fallback), 1), 1_000);
}

export function time(date: Date): string {
  return date.toISOString();
}

export function timeOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** An entry of a channel's log. */
export const logLine = Type.Object({
  id: Type.Integer({ description: "Grows with time" }),
  at: Type.String(),
  level: Type.String(),
  message: Type.String(),
  details: Type.Unknown({ description: "Further details" }),
  messageId: { ...nullableUuid, description: "The message that it is about" },
});

export function logLineFields(line: LogLine) {
  return { ...line, details: line.details ?? null, at: time(line.at) };
}
