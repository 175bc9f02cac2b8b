import { Type } from "typebox";
import { AUDIT_ACTIONS, type AuditRecord, listAudit } from "../../core/audit/audit.ts";
import type { Core } from "../../core/core.ts";
import { type App, scopeOf } from "../app.ts";
import { errorAnswers, nullableString } from "../schema/shapes.ts";
import { pageQuery, pageRequest } from "./webhooks/query.ts";

const entry = Type.Object(
  {
    id: Type.Integer({ description: "Grows with time" }),
    at: Type.String({ description: "When it was changed" }),
    action: Type.String({ description: "What was changed, such as channel.create" }),
    subject: Type.String({ description: "Id of the channel, token, grant, subscription or receiver" }),
    actor: Type.String({ description: "operator, console, token, application, partner, page or service" }),
    actorId: Type.String({
      description: "Id of the token, the OAuth client or the partner, or the console login",
    }),
    from: Type.String({ description: "Address of the client, or name of the operator's machine" }),
    details: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      additionalProperties: true,
      description: "Details of the change; never a secret",
    }),
  },
  { title: "AuditEntry" },
);

/** `GET /v3/audit` */
export function auditRoute(app: App, core: Core): void {
  const action = Type.Optional(Type.Enum([...AUDIT_ACTIONS], { description: "Changes of this kind only" }));
  app.get(
    "/v3/audit",
    {
      schema: {
        operationId: "listAudit",
        tags: ["accounts"],
        summary: "List the changes in the account, newest first",
        querystring: Type.Object({ ...pageQuery.properties, action }),
        response: { 200: Type.Object({ data: Type.Array(entry), next: nullableString }), ...errorAnswers },
      },
    },
    async (request) => {
      const { action: wanted, ...query } = request.query;
      const page = await listAudit(core.db, {
        accountId: scopeOf(request).accountId,
        ...(wanted === undefined ? {} : { action: wanted }),
        ...pageRequest(query),
      });
      return { data: page.data.map(shown), next: page.next };
    },
  );
}

function shown({ accountId: _own, at, ...rest }: AuditRecord) {
  return { ...rest, at: at.toISOString() };
}
