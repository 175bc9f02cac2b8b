import { type Static, type TProperties, type TSchema, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { entities } from "../../../core/crm/entity.ts";
import { AppError, type ErrorCode } from "../../../core/errors.ts";
import type { Scope } from "../../../core/scope.ts";
import { type SnakeKeys, withSnakeKeys } from "../../../platform/foreign/snake-case.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { entityFaults } from "../../crm/entity-faults.ts";
import { entityId, entityPath, offsetOf, pageQuery } from "../../crm/entity-path.ts";
import { errorAnswers, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";

/** One kind of entity with its v2 routes, whose requests contain a list under the kind's name. */
export interface EntityKind<Entity, Item extends TSchema, Change extends TSchema> {
  /** Also the last part of the path. */
  readonly name: string;
  /** For the description: "Contact", "Contacts". */
  readonly one: string;
  readonly many: string;
  readonly id: TSchema;
  readonly item: Item;
  /** A change; everything but the id is optional. */
  readonly change: Change;
  readonly answer: TSchema;
  readonly missing: ErrorCode;
  readonly faulty: ErrorCode;
  /** Further error codes of saving and changing. */
  readonly refusals?: readonly ErrorCode[];
  /** Throws if an entity breaks a rule that its schema cannot express. */
  check?(items: Static<Item>[] | Static<Change>[]): void;
  list(core: Core, scope: Scope, offset: number): Promise<readonly Entity[]>;
  find(core: Core, scope: Scope, id: string): Promise<Entity>;
  save(core: Core, scope: Scope, items: Static<Item>[]): Promise<void>;
  /** These two return the ids that did not exist. */
  update(core: Core, scope: Scope, changes: Static<Change>[]): Promise<string[]>;
  remove(core: Core, scope: Scope, ids: readonly string[]): Promise<string[]>;
}

const stored = Type.Object({ processed: Type.Integer() }, { title: "StoredEntities" });
const processed = Type.Object(
  { processed: Type.Integer(), not_found: Type.Array(Type.String()) },
  { title: "ProcessedEntities" },
);

/** `/v2/{name}` and what is below it. */
export function entityRoutes<Entity, Item extends TSchema, Change extends TSchema>(
  app: App,
  core: Core,
  kind: EntityKind<Entity, Item, Change>,
): void {
  listRoute(app, core, kind);
  findRoute(app, core, kind);
  saveRoute(app, core, kind);
  changeRoute(app, core, kind);
  removeManyRoute(app, core, kind);
  removeOneRoute(app, core, kind);
}

type AnyKind<Entity> = Pick<
  EntityKind<Entity, TSchema, TSchema>,
  "name" | "one" | "many" | "id" | "answer" | "missing" | "faulty" | "list" | "find" | "remove"
>;

function listRoute<Entity>(app: App, core: Core, { name, many, answer, list }: AnyKind<Entity>): void {
  app.get(
    `/v2/${name}`,
    {
      schema: {
        operationId: `listV2${many}`,
        tags: ["crm"],
        summary: `List ${name}, in pages`,
        querystring: pageQuery,
        response: { 200: envelope(Type.Array(answer)), ...errorAnswers },
      },
    },
    async (request) => {
      const page = await list(core, scopeOf(request), offsetOf(request.query));
      return enveloped<unknown[]>(core, page.map(withSnakeKeys<Entity>));
    },
  );
}

function findRoute<Entity>(app: App, core: Core, kind: AnyKind<Entity>): void {
  const { name, one, answer, missing, find } = kind;
  app.get(
    `/v2/${name}/:id`,
    {
      schema: {
        operationId: `getV2${one}`,
        tags: ["crm"],
        summary: `Get one of the ${name}`,
        params: entityPath,
        response: { 200: envelope(answer), ...errorAnswers },
      },
      config: { errors: [missing] },
    },
    async (request) => {
      const entity = await find(core, scopeOf(request), entityId(request.params.id, missing));
      return enveloped<SnakeKeys<Entity>>(core, withSnakeKeys(entity));
    },
  );
}

function saveRoute<Entity, Item extends TSchema, Change extends TSchema>(
  app: App,
  core: Core,
  { name, many, item, faulty, refusals = [], check, save }: EntityKind<Entity, Item, Change>,
): void {
  app.post(
    `/v2/${name}`,
    {
      schema: {
        operationId: `saveV2${many}`,
        tags: ["crm"],
        summary: `Add or replace ${name}: all, or none if one is invalid`,
        body: listOf(name, item),
        response: { 200: envelope(stored), ...errorAnswers },
      },
      config: { errors: [faulty, "TOO_MANY_ENTITIES", ...refusals], body: "entities" },
      schemaErrorFormatter: entityFaults(faulty),
    },
    async (request, reply) => {
      const items = itemsOf<Static<Item>>(request.body, name);
      check?.(items);
      return answerOnce(core, request, reply, async () => {
        await save(core, scopeOf(request), items);
        return enveloped(core, { processed: items.length });
      });
    },
  );
}

function changeRoute<Entity, Item extends TSchema, Change extends TSchema>(
  app: App,
  core: Core,
  { name, many, change, faulty, refusals = [], check, update }: EntityKind<Entity, Item, Change>,
): void {
  app.patch(
    `/v2/${name}`,
    {
      schema: {
        operationId: `changeV2${many}`,
        tags: ["crm"],
        summary: `Change ${name}; omitted fields keep their value`,
        body: listOf(name, change),
        response: { 200: envelope(processed), ...errorAnswers },
      },
      config: { errors: [faulty, "TOO_MANY_ENTITIES", ...refusals], body: "entities" },
      schemaErrorFormatter: entityFaults(faulty),
    },
    async (request) => {
      const changes = itemsOf<Static<Change>>(request.body, name);
      check?.(changes);
      const absent = await update(core, scopeOf(request), changes);
      return enveloped(core, { processed: changes.length - absent.length, not_found: absent });
    },
  );
}

function removeManyRoute<Entity>(app: App, core: Core, kind: AnyKind<Entity>): void {
  const { name, many, id, faulty, remove } = kind;
  const idOrEntity = Type.Union([id, Type.Object({ id })]);
  app.delete(
    `/v2/${name}`,
    {
      schema: {
        operationId: `removeV2${many}`,
        tags: ["crm"],
        summary: `Delete ${name} by id`,
        body: listOf(name, idOrEntity),
        response: { 200: envelope(processed), ...errorAnswers },
      },
      config: { errors: [faulty, "TOO_MANY_ENTITIES"], body: "entities", readsBody: true },
      schemaErrorFormatter: entityFaults(faulty),
    },
    async (request) => {
      const items = itemsOf<string | { readonly id: string }>(request.body, name);
      const ids = items.map((item) => (typeof item === "object" ? item.id : item));
      const absent = await remove(core, scopeOf(request), ids);
      return enveloped(core, { processed: new Set(ids).size - absent.length, not_found: absent });
    },
  );
}

function removeOneRoute<Entity>(app: App, core: Core, { name, one, missing, remove }: AnyKind<Entity>): void {
  app.delete(
    `/v2/${name}/:id`,
    {
      schema: {
        operationId: `removeV2${one}`,
        tags: ["crm"],
        summary: `Delete one of the ${name}`,
        params: entityPath,
        response: { 200: envelope(Type.Null()), ...errorAnswers },
      },
      config: { errors: [missing] },
    },
    async (request) => {
      const absent = await remove(core, scopeOf(request), [entityId(request.params.id, missing)]);
      if (absent.length > 0) throw new AppError(missing);
      return enveloped(core, null);
    },
  );
}

function listOf(name: string, item: TSchema): TSchema {
  return strictObject<TProperties>({ [name]: entities(item) });
}

function itemsOf<Item>(body: unknown, name: string): Item[] {
  return (body as Record<string, Item[]>)[name] ?? [];
}
