import { Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { type ExportRequest, getExport, requestExport } from "../../../core/export/exports.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { type FieldFault, faultyFields } from "../../schema/fields.ts";
import { errorAnswers, nullableString, patterned, strictObject, uuidText } from "../../schema/shapes.ts";
import { parseTime } from "../../schema/time.ts";
import { idFromPath } from "../../schema/uuid.ts";
import { envelope, enveloped } from "../envelope.ts";

const body = strictObject({
  start_at: patterned("dateTime"),
  end_at: patterned("dateTime"),
  channel_id: Type.Optional(patterned("uuid")),
});
const requested = envelope(Type.Object({ status: Type.String(), export_id: uuidText() }));
const found = envelope(Type.Object({ status: Type.String(), url: nullableString }));
const tags = ["messages"];

/** `POST /v2/messages/messages_dump` and `GET /v2/messages/messages_dump/{export_id}` */
export function exportRoutes(app: App, core: Core): void {
  app.post(
    "/v2/messages/messages_dump",
    {
      schema: {
        operationId: "exportMessages",
        tags,
        summary:
          "Request the messages of a period as CSV; the webhook messages_dump.status_update contains the link",
        body,
        response: { 200: requested, ...errorAnswers },
      },
      config: { errors: ["CHANNEL_NOT_FOUND", "EXPORT_QUEUE_FULL", "QUOTA_EXCEEDED"] },
    },
    (request, reply) => {
      const wanted = periodOf(request.body, core.clock.now());
      const channelId = request.body.channel_id?.toLowerCase() ?? null;
      return answerOnce(core, request, reply, async (operationId) => {
        const { status, id } = await requestExport(
          core,
          scopeOf(request),
          { ...wanted, channelId },
          operationId,
        );
        return enveloped(core, { status, export_id: id });
      });
    },
  );
  app.get(
    "/v2/messages/messages_dump/:export_id",
    {
      schema: {
        operationId: "getMessageExport",
        tags,
        summary: "Get the progress of an export, and the link to its file",
        params: Type.Object({ export_id: Type.String() }),
        response: { 200: found, ...errorAnswers },
      },
      config: { errors: ["EXPORT_NOT_FOUND"] },
    },
    async (request) => {
      const id = idFromPath(request.params.export_id, "EXPORT_NOT_FOUND");
      const { status, url } = await getExport(core, scopeOf(request), id);
      return enveloped(core, { status, url });
    },
  );
}

const FIRST_YEAR = 1970;
const LAST_YEAR = 2100;

/** Reports all errors at once. Clients' clocks may be ahead of ours: a period may begin today. */
function periodOf(
  { start_at: start, end_at: end }: { readonly start_at: string; readonly end_at: string },
  now: Date,
): Omit<ExportRequest, "channelId"> {
  const [startAt, endAt] = [parseTime(start), parseTime(end)];
  const faults: FieldFault[] = [];
  for (const [field, time] of [
    ["start_at", startAt],
    ["end_at", endAt],
  ] as const) {
    if (time === null) faults.push({ field, message: "must be a time such as 2030-01-02T03:04:05Z" });
    else if (time.getUTCFullYear() < FIRST_YEAR || time.getUTCFullYear() > LAST_YEAR)
      faults.push({ field, message: `must lie between ${FIRST_YEAR} and ${LAST_YEAR}` });
  }
  if (startAt === null || endAt === null || faults.length > 0) throw faultyFields(faults);
  if (startAt >= endAt) throw faultyFields([{ field: "end_at", message: "must be later than start_at" }]);
  if (startAt.getTime() > now.getTime() + 24 * 3_600_000)
    throw faultyFields([{ field: "start_at", message: "must not lie in the future" }]);
  return { startAt, endAt };
}
