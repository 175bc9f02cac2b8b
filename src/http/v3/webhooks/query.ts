import { Type } from "typebox";
import { type LogFilter, RESULTS, type Result } from "../../../core/delivery/request/delivery-log.ts";
import { faultyFields, MAX_FAULTS } from "../../schema/fields.ts";
import { patterned } from "../../schema/shapes.ts";
import { parseTime } from "../../schema/time.ts";

const PAGE = 100;

/** The receiver; default: the account's v3 address. */
export const receiverQuery = Type.Object({ receiverId: Type.Optional(patterned("uuid")) });

export const pageQuery = Type.Object({
  limit: Type.Optional(patterned("wholeNumber")),
  cursor: Type.Optional(Type.String({ description: "`next` of the previous page" })),
});

/** 1 to 1,000; default 100. */
export function pageRequest({ limit = "", cursor }: { limit?: string; cursor?: string }): {
  limit: number;
  cursor?: string;
} {
  const rows = limit === "" ? PAGE : Math.min(Math.max(Number(limit), 1), 1_000);
  return cursor === undefined ? { limit: rows } : { limit: rows, cursor };
}

/** The filters of the log. */
export const filterFields = {
  receiverId: Type.Optional(patterned("uuid")),
  channelId: Type.Optional(patterned("uuid")),
  kind: Type.Optional(Type.String({ maxLength: 100, description: "Such as messages or channel.create" })),
  result: Type.Optional(Type.Unsafe<Result>({ type: "string", enum: [...RESULTS] })),
  messageId: Type.Optional(
    Type.String({ maxLength: 100, description: "Id of the object that the events are about" }),
  ),
  from: Type.Optional(patterned("dateTime")),
  to: Type.Optional(patterned("dateTime")),
};

interface FilterFields {
  readonly receiverId?: string;
  readonly channelId?: string;
  readonly kind?: string;
  readonly result?: Result;
  readonly messageId?: string;
  readonly from?: string;
  readonly to?: string;
}

export function filterOf({
  messageId,
  from,
  to,
  receiverId,
  channelId,
  kind,
  result,
}: FilterFields): LogFilter {
  return {
    ...(receiverId === undefined ? {} : { receiverId }),
    ...(channelId === undefined ? {} : { channelId }),
    ...(kind === undefined ? {} : { kind }),
    ...(result === undefined ? {} : { result }),
    ...(messageId === undefined ? {} : { subject: messageId }),
    ...(from === undefined ? {} : { from: timeOf("from", from) }),
    ...(to === undefined ? {} : { to: timeOf("to", to) }),
  };
}

function timeOf(field: string, text: string): Date {
  const time = parseTime(text);
  if (time !== null) return time;
  throw faultyFields([{ field, message: "must be a time such as 2030-01-02T03:04:05Z" }]);
}

/** Ids of deliveries or of events, in a body. See `refuseUnsafe`. */
export const ids = Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 1_000 });

/** Larger numbers are no ids, and are no integers of the database. */
export function refuseUnsafe(lists: Readonly<Record<string, readonly number[] | undefined>>): void {
  const faults = Object.entries(lists).flatMap(([name, ids = []]) =>
    ids.flatMap((id, index) =>
      Number.isSafeInteger(id) ? [] : [{ field: `${name}[${index}]`, message: "is not an id" }],
    ),
  );
  if (faults.length > 0) throw faultyFields(faults.slice(0, MAX_FAULTS));
}
