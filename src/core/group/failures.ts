import { AppError, type ErrorCode } from "../errors.ts";
import type { GroupRefusal } from "../transport/errors.ts";
import type { DoneChange, GroupAnswer, GroupFailure } from "./call.ts";

/** The interface's error for each refusal of a messenger. */
const CODES = {
  not_found: "GROUP_NOT_FOUND",
  not_a_member: "GROUP_NOT_A_MEMBER",
  not_an_admin: "GROUP_NOT_AN_ADMIN",
  unknown_person: "GROUP_PARTICIPANT_NOT_FOUND",
  nobody_added: "GROUP_NOBODY_ADDED",
  too_many_people: "GROUP_TOO_MANY_PARTICIPANTS",
  too_many_groups: "GROUP_TOO_MANY_GROUPS",
  bad_name: "GROUP_NAME_REFUSED",
  bad_picture: "GROUP_PICTURE_REFUSED",
  refused: "GROUP_REFUSED",
} as const satisfies Readonly<Record<GroupRefusal, ErrorCode>>;

export const outcomeUnknown = (data?: object): AppError =>
  new AppError("GROUP_OUTCOME_UNKNOWN", data === undefined ? {} : { data });

/** The error of a call that the messenger did not make, or not completely. Pure. */
export function failureOf(answer: Extract<GroupAnswer, GroupFailure> | GroupAnswer): AppError {
  if (answer.kind === "created" || answer.kind === "read" || answer.kind === "changed")
    throw new Error("An answer to another call");
  const { done } = answer;
  const made = done === undefined || done.length === 0 ? {} : { done: done.map(madeOf) };
  switch (answer.kind) {
    case "refused": {
      const { reason, description, data } = answer;
      const details = { description, ...(data === undefined ? {} : { details: data }) };
      return new AppError(CODES[reason], { data: { ...details, ...made } });
    }
    case "limited": {
      const { reason, retryAfterMs } = answer;
      const retryAfter = retryAfterMs === null ? {} : { retryAfter: Math.ceil(retryAfterMs / 1_000) };
      return new AppError("GROUP_LIMIT_REACHED", { data: { reason, ...made }, ...retryAfter });
    }
    case "picture": {
      const { description, isTemporary } = answer;
      return new AppError("GROUP_PICTURE_REFUSED", {
        data: { description, temporary: isTemporary, ...made },
      });
    }
    case "failed":
      return new AppError("MESSENGER_UNAVAILABLE", {
        retryAfter: Math.ceil(answer.retryAfterMs / 1_000),
        ...(done === undefined || done.length === 0 ? {} : { data: made }),
      });
    case "unknown":
      return outcomeUnknown(done === undefined || done.length === 0 ? undefined : made);
  }
}

/** The change by its field in the request. */
function madeOf({ change }: DoneChange): string {
  return change === "rename" ? "name" : change;
}
