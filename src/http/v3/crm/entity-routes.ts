import { type TSchema, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { entities } from "../../../core/crm/entity.ts";
import { AppError, type ErrorCode } from "../../../core/errors.ts";
import type { Scope } from "../../../core/scope.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityFaults } from "../../crm/entity-faults.ts";
import { entityId, entityPath } from "../../crm/entity-path.ts";
import { errorAnswers, nothing } from "../../schema/shapes.ts";

/** One kind of entity, as far as its routes are the same. */
export interface EntityKind {
  readonly path: `/v3/${string}`;
  /** For the description: "Contact", "Contacts". */
  readonly one: string;
  readonly many: string;
  readonly id: TSchema;
  readonly answer: TSchema;
  readonly missing: ErrorCode;
  readonly faulty: ErrorCode;
  find(core: Core, scope: Scope, id: string): Promise<unknown>;
  /** Returns the ids that did not exist. */
  remove(core: Core, scope: Scope, ids: readonly string[]): Promise<string[]>;
}

/** `GET /{id}`, `DELETE /{id}` and `PATCH /bulk_delete` of the kind. */
export function entityRoutes(app: App, core: Core, kind: EntityKind): void {
  findRoute(app, core, kind);
  removeRoute(app, core, kind);
  bulkDeleteRoute(app, core, kind);
}

function findRoute(app: App, core: Core, { path, one, answer, missing, find }: EntityKind): void {
  app.get(
    `${path}/:id`,
    {
      schema: {
        operationId: `get${one}`,
        tags: ["crm"],
        summary: `Get one of the ${path.slice("/v3/".length)}`,
        params: entityPath,
        response: { 200: answer, ...errorAnswers },
      },
      config: { errors: [missing] },
    },
    (request) => find(core, scopeOf(request), entityId(request.params.id, missing)),
  );
}

function removeRoute(app: App, core: Core, { path, one, missing, remove }: EntityKind): void {
  app.delete(
    `${path}/:id`,
    {
      schema: {
        operationId: `remove${one}`,
        tags: ["crm"],
        summary: `Delete one of the ${path.slice("/v3/".length)}`,
        params: entityPath,
        response: { 200: nothing, ...errorAnswers },
      },
      config: { errors: [missing] },
    },
    async (request) => {
      const absent = await remove(core, scopeOf(request), [entityId(request.params.id, missing)]);
      if (absent.length > 0) throw new AppError(missing);
      return {};
    },
  );
}

function bulkDeleteRoute(app: App, core: Core, { path, many, id, faulty, remove }: EntityKind): void {
  app.patch(
    `${path}/bulk_delete`,
    {
      schema: {
        operationId: `bulkDelete${many}`,
        tags: ["crm"],
        summary: `Delete several of the ${path.slice("/v3/".length)}; the response lists those that did not exist`,
        body: entities(id),
        response: { 200: Type.Array(Type.String()), ...errorAnswers },
      },
      config: { errors: [faulty, "TOO_MANY_ENTITIES"], body: "entities" },
      schemaErrorFormatter: entityFaults(faulty),
    },
    (request) => remove(core, scopeOf(request), request.body as string[]),
  );
}
