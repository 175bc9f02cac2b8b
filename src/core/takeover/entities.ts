import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { Base } from "../base.ts";
import { normalNames } from "../chat/names.ts";
import { type Contact, contactFaults, contactSchema } from "../crm/contact.ts";
import { findContacts, saveContacts } from "../crm/contacts.ts";
import { type Deal, dealOf, dealSchema } from "../crm/deal.ts";
import { findDeals, saveDeals } from "../crm/deals.ts";
import {
  listPipelines,
  type Pipeline,
  pipelineOf,
  pipelineSchema,
  replacePipelines,
} from "../crm/pipelines.ts";
import { type User, userSchema } from "../crm/user.ts";
import { listUsers, saveUsers } from "../crm/users.ts";
import { AppError } from "../errors.ts";
import type { HasLive } from "../event/live-notifier.ts";
import type { Scope } from "../scope.ts";
import { TakeoverFailed } from "./failure.ts";
import { NotGiven, type Original } from "./original.ts";
import type { Part, TakeoverReport } from "./report.ts";

/** What a takeover works with. */
export interface Takeover {
  readonly core: Base & HasLive;
  readonly scope: Scope;
  readonly original: Original;
  readonly report: TakeoverReport;
  /** Nothing is stored. */
  readonly isDryRun: boolean;
  /** What is here with other content is replaced; otherwise it stays, and is reported. */
  readonly replaces: boolean;
  readonly progress: (line: string) => void;
}

/** A kind of the CRM's objects. */
interface Kind<T extends { readonly id: string }> {
  readonly part: Part;
  /** Pages of what the original has. */
  readonly pages: (original: Original) => AsyncIterable<readonly unknown[]>;
  /** The object, or why it is none. */
  readonly read: (given: unknown) => T | { readonly fault: string };
  readonly find: (takeover: Takeover, ids: readonly string[]) => Promise<readonly T[]>;
  /** The object to store, given the one that is here. */
  readonly merge?: (given: T, here: T) => T;
  readonly save: (takeover: Takeover, entities: readonly T[]) => Promise<unknown>;
}

/** Users, contacts, deals and pipelines. A part that the original does not give is noted in the report. */
export async function takeEntities(takeover: Takeover): Promise<void> {
  await take(takeover, USERS);
  await take(takeover, CONTACTS);
  await take(takeover, DEALS);
  await take(takeover, PIPELINES);
}

/** How often progress is shown. */
const SHOWN_ENTITIES = 5_000;

async function take<T extends { readonly id: string }>(takeover: Takeover, kind: Kind<T>): Promise<void> {
  const { report, progress } = takeover;
  const part = report.of(kind.part);
  const seen = new Set<string>();
  await tolerating(takeover, kind.part, async () => {
    for await (const page of kind.pages(takeover.original)) {
      const entities = page.flatMap((given) => {
        const entity = kind.read(given);
        if (!("fault" in entity)) return [entity];
        report.leaveOut(kind.part, idIn(given), entity.fault);
        return [];
      });
      part.read += page.length;
      // A page may repeat the end of the one before if something was added meanwhile.
      const fresh = entities.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      await store(takeover, kind, fresh);
      const steps = Math.floor(part.read / SHOWN_ENTITIES);
      if (steps > Math.floor((part.read - page.length) / SHOWN_ENTITIES))
        progress(`${kind.part}: ${part.read} read`);
    }
  });
}

/** Runs the work; if the original does not give the part, or a quota is used up, the report says so. */
export async function tolerating(
  { report }: Pick<Takeover, "report">,
  part: Part,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof NotGiven) report.of(part).missing = error.message;
    else if (error instanceof AppError && error.code === "QUOTA_EXCEEDED")
      report.of(part).missing = quotaText(error);
    else throw error;
  }
}

function quotaText({ data }: AppError): string {
  const { quota, limit } = data as { quota: string; limit: number };
  const setting = `QUOTA_${quota.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return `${setting} allows ${limit}; raise it and repeat the import`;
}

async function store<T extends { readonly id: string }>(
  takeover: Takeover,
  kind: Kind<T>,
  given: readonly T[],
): Promise<void> {
  const { report, replaces, isDryRun } = takeover;
  const part = report.of(kind.part);
  const ids = given.map(({ id }) => id);
  const here = new Map((await kind.find(takeover, ids)).map((entity) => [entity.id, entity]));
  const wanted: T[] = [];
  let [added, changed] = [0, 0];
  for (const entity of given) {
    const stored = here.get(entity.id);
    const next = stored === undefined || kind.merge === undefined ? entity : kind.merge(entity, stored);
    if (stored !== undefined && isDeepStrictEqual(plain(next), plain(stored))) part.same += 1;
    else if (stored !== undefined && !replaces) report.leaveOut(kind.part, entity.id, KEPT);
    else {
      wanted.push(next);
      if (stored === undefined) added += 1;
      else changed += 1;
    }
  }
  if (wanted.length > 0 && !isDryRun) await kind.save(takeover, wanted);
  part.added += added;
  part.changed += changed;
}

/** The reason for which something of the original is left out that is here with other content. */
export const KEPT = "it is here with other content, which stays; --replace takes the original's";

/** Without fields that have no value. */
function plain(entity: object): unknown {
  return JSON.parse(JSON.stringify(entity));
}

function idIn(given: unknown): string {
  const id = typeof given === "object" && given !== null && "id" in given ? given.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id).slice(0, 100) : "without an id";
}

async function* flat(original: Original, path: string): AsyncIterable<readonly unknown[]> {
  const given = await original.get(path);
  if (!Array.isArray(given)) throw new TakeoverFailed(`GET ${path} responds with something else than a list`);
  yield given;
}

/** A list by `offset`, as long as the original says that there is more. */
async function* paged(original: Original, path: string): AsyncIterable<readonly unknown[]> {
  for (let offset = 0; ; ) {
    const given = await original.get(`${path}?offset=${offset}`);
    const { count, data } = (given ?? {}) as { readonly count?: unknown; readonly data?: unknown };
    if (!Array.isArray(data) || typeof count !== "number")
      throw new TakeoverFailed(`GET ${path} responds with something else than a page {count, data}`);
    yield data;
    offset += data.length;
    if (data.length === 0 || offset >= count) return;
  }
}

/** Reads an object with the interface's own schema of requests; fields that it does not name are dropped. */
function reader<T>(
  schema: TSchema,
  convert: (value: never) => T,
  faultsOf: (entity: T) => readonly string[],
) {
  const validator = Compile(schema);
  return (given: unknown): T | { readonly fault: string } => {
    const value = withoutNulls(given);
    if (!validator.Check(value)) {
      const [first] = validator.Errors(value);
      return { fault: `${first?.instancePath || "it"} ${first?.message ?? "is invalid"}` };
    }
    const entity = convert(value as never);
    const [fault] = faultsOf(entity);
    return fault === undefined ? entity : { fault: `${fault} is invalid` };
  };
}

/** Null means absent, in objects inside as well. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  );
}

const none = (): readonly string[] => [];

const USERS: Kind<User> = {
  part: "users",
  pages: (original) => flat(original, "/v3/users"),
  read: reader(
    userSchema,
    ({ id, name, phone }: User): User => ({
      id: String(id),
      name,
      ...(phone === undefined ? {} : { phone }),
    }),
    none,
  ),
  async find({ core, scope }) {
    const users = await listUsers(core.db, scope);
    return users.map(({ id, name, phone }) => ({ id, name, ...(phone === undefined ? {} : { phone }) }));
  },
  // The original's list has no phone numbers.
  merge: (given, here) => ({ ...here, ...given }),
  save: ({ core, scope }, users) => saveUsers(core, scope, users),
};

const CONTACTS: Kind<Contact> = {
  part: "contacts",
  pages: (original) => paged(original, "/v3/contacts"),
  read: reader(
    contactSchema,
    ({ id, responsibleUserId, name, contactData, uri }: Contact): Contact => ({
      id: String(id),
      responsibleUserId: String(responsibleUserId),
      name,
      contactData: contactData.map(({ chatType, chatId, username, phone }) =>
        normalNames({
          chatType,
          ...(chatId === undefined ? {} : { chatId }),
          ...(username === undefined ? {} : { username }),
          ...(phone === undefined ? {} : { phone }),
        }),
      ),
      ...(uri === undefined ? {} : { uri }),
    }),
    contactFaults,
  ),
  find: ({ core, scope }, ids) => findContacts(core, scope, ids),
  save: ({ core, scope }, contacts) => saveContacts(core, scope, contacts),
};

const DEALS: Kind<Deal> = {
  part: "deals",
  pages: (original) => paged(original, "/v3/deals"),
  read: reader(
    dealSchema,
    (deal: Parameters<typeof dealOf>[0]): Deal => {
      const { id, responsibleUserId, name, uri, contacts, closed } = dealOf(deal);
      return {
        id: String(id),
        responsibleUserId: String(responsibleUserId),
        name,
        ...(uri === undefined ? {} : { uri }),
        contacts: contacts.map(String),
        closed,
      };
    },
    none,
  ),
  find: ({ core, scope }, ids) => findDeals(core, scope, ids),
  save: ({ core, scope }, deals) => saveDeals(core, scope, deals),
};

const PIPELINES: Kind<Pipeline> = {
  part: "pipelines",
  pages: (original) => flat(original, "/v3/pipelines"),
  read: reader(
    pipelineSchema,
    (pipeline: Parameters<typeof pipelineOf>[0]): Pipeline => {
      const { id, name, stages } = pipelineOf(pipeline);
      return { id: String(id), name, stages: stages.map((stage) => ({ ...stage, id: String(stage.id) })) };
    },
    none,
  ),
  find: ({ core, scope }) => listPipelines(core.db, scope),
  // They are replaced as a whole: those that exist only here stay.
  async save({ core, scope }, pipelines) {
    const given = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
    const here = await listPipelines(core.db, scope);
    const known = new Set(here.map(({ id }) => id));
    const kept = here.map((pipeline) => given.get(pipeline.id) ?? pipeline);
    await replacePipelines(core, scope, [...kept, ...pipelines.filter(({ id }) => !known.has(id))]);
  },
};
