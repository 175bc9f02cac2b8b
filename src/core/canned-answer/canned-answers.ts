import { type Queryable, sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { storable } from "../json-rows.ts";
import { checkQuota, lockAccount } from "../quota/quotas.ts";
import type { Scope } from "../scope.ts";

/** In characters: every employee of the account finds it by typing a few of them. */
export const MAX_NAME_LENGTH = 40;
/** In characters: what Telegram, VK and the WhatsApp Business Platform take in one message. */
export const MAX_TEXT_LENGTH = 4_096;

/** A text that the employees of an account send often. */
export interface CannedAnswer {
  readonly id: string;
  /** One word, unique within the account regardless of case. */
  readonly name: string;
  /** May contain `{{contact}}` and `{{employee}}`, which the page fills in. */
  readonly text: string;
  /** Its place in lists; answers with the same place are sorted by name. */
  readonly order: number;
  /** 1 at first; each change increments it. */
  readonly version: number;
}

type Content = Pick<CannedAnswer, "name" | "text" | "order">;
/** `version` null: whatever version the answer has. */
type State = Pick<CannedAnswer, "id"> & { readonly version: number | null };

const COLUMNS = 'id, name, text, sort_order as "order", version';
const LIST = sql(
  "canned_answers_list",
  `select ${COLUMNS} from canned_answers where account_id = $1 order by sort_order, name_key collate "C"`,
);

/** All answers of the account, by `order` and name. */
export function listCannedAnswers(db: Queryable, { accountId }: Scope): Promise<CannedAnswer[]> {
  return db.query<CannedAnswer>(LIST, [accountId]);
}

const ADD = sql(
  "canned_answer_add",
  "insert into canned_answers (account_id, id, name, name_key, text, sort_order) values ($1, $2, $3, $4, $5, $6)",
);
const COUNT = sql(
  "canned_answers_count",
  "select count(*)::int as answers from canned_answers where account_id = $1",
);

/**
 * Adds an answer under an id made by the caller. Idempotent: the same id with the same content returns what is stored.
 * Throws CANNED_ANSWER_NAME_TAKEN, QUOTA_EXCEEDED, and CANNED_ANSWER_CHANGED if the id has other content.
 */
export async function addCannedAnswer(
  core: Base,
  scope: Scope,
  { id, ...given }: Content & Pick<CannedAnswer, "id">,
): Promise<CannedAnswer> {
  const content = storableContent(given);
  return core.db.tx(async (tx) => {
    await lockAccount(tx, scope);
    const stored = await find(tx, scope, id);
    if (stored !== null) {
      if (!isSame(stored, content)) throw new AppError("CANNED_ANSWER_CHANGED");
      return stored;
    }
    await refuseTakenName(tx, scope, { id, ...content });
    const { accountId } = scope;
    await tx.query(ADD, [accountId, id, ...valuesOf(content)]);
    const [counted] = await tx.query<{ answers: number }>(COUNT, [accountId]);
    checkQuota(core.settings.quotas, "cannedAnswers", counted?.answers ?? 0);
    await audit(tx, {
      accountId,
      action: "canned_answer.create",
      subject: id,
      details: { name: content.name },
    });
    return { id, ...content, version: 1 };
  });
}

const CHANGE = sql(
  "canned_answer_change",
  `update canned_answers set name = $3, name_key = $4, text = $5, sort_order = $6, version = version + 1
   where account_id = $1 and id = $2`,
);

/**
 * Replaces the given parts of the given version's content. Idempotent: if the answer already has this content, it is returned as it is.
 * Throws CANNED_ANSWER_NOT_FOUND, CANNED_ANSWER_NAME_TAKEN, and CANNED_ANSWER_CHANGED if it has another version by now.
 */
export async function changeCannedAnswer(
  core: Base,
  scope: Scope,
  { id, version, ...given }: State & Partial<Content>,
): Promise<CannedAnswer> {
  return core.db.tx(async (tx) => {
    const stored = await findForChange(tx, scope, id);
    const content = storableContent({ ...contentOf(stored), ...given });
    if (isSame(stored, content)) return stored;
    refuseStale(stored, version);
    await refuseTakenName(tx, scope, { id, ...content });
    const { accountId } = scope;
    await tx.query(CHANGE, [accountId, id, ...valuesOf(content)]);
    await audit(tx, {
      accountId,
      action: "canned_answer.change",
      subject: id,
      details: { name: content.name, ...(stored.name === content.name ? {} : { formerName: stored.name }) },
    });
    return { id, ...content, version: stored.version + 1 };
  });
}

const REMOVE = sql("canned_answer_remove", "delete from canned_answers where account_id = $1 and id = $2");

/** Deletes the given version. Throws CANNED_ANSWER_NOT_FOUND, and CANNED_ANSWER_CHANGED if it has another one by now. */
export async function removeCannedAnswer(core: Base, scope: Scope, { id, version }: State): Promise<void> {
  await core.db.tx(async (tx) => {
    const stored = await findForChange(tx, scope, id);
    refuseStale(stored, version);
    const { accountId } = scope;
    await tx.query(REMOVE, [accountId, id]);
    await audit(tx, {
      accountId,
      action: "canned_answer.delete",
      subject: id,
      details: { name: stored.name },
    });
  });
}

/** PostgreSQL's `lower` depends on the locale of the database. */
function keyOf(name: string): string {
  return name.toLowerCase();
}

function storableContent({ name, text, order }: Content): Content {
  return { name: storable(name).normalize("NFC"), text: storable(text), order };
}

function contentOf({ name, text, order }: CannedAnswer): Content {
  return { name, text, order };
}

function valuesOf({ name, text, order }: Content): readonly unknown[] {
  return [name, keyOf(name), text, order];
}

function isSame(a: Content, b: Content): boolean {
  return a.name === b.name && a.text === b.text && a.order === b.order;
}

function refuseStale(stored: CannedAnswer, version: number | null): void {
  if (version !== null && stored.version !== version) throw new AppError("CANNED_ANSWER_CHANGED");
}

/** Throws CANNED_ANSWER_NOT_FOUND. */
export async function getCannedAnswer(db: Queryable, scope: Scope, id: string): Promise<CannedAnswer> {
  const stored = await find(db, scope, id);
  if (stored === null) throw new AppError("CANNED_ANSWER_NOT_FOUND");
  return stored;
}

const FIND = sql(
  "canned_answer_find",
  `select ${COLUMNS} from canned_answers where account_id = $1 and id = $2`,
);

async function find(tx: Queryable, { accountId }: Scope, id: string): Promise<CannedAnswer | null> {
  const [row] = await tx.query<CannedAnswer>(FIND, [accountId, id]);
  return row ?? null;
}

/** All changes of an account's answers wait for each other, so that names and counts are still right at the commit. */
async function findForChange(tx: Queryable, scope: Scope, id: string): Promise<CannedAnswer> {
  await lockAccount(tx, scope);
  return getCannedAnswer(tx, scope, id);
}

const TAKEN = sql(
  "canned_answer_name_taken",
  `select 1 from canned_answers where account_id = $1 and name_key collate "C" = $2 and id <> $3`,
);

async function refuseTakenName(
  tx: Queryable,
  { accountId }: Scope,
  { id, name }: Pick<CannedAnswer, "id" | "name">,
): Promise<void> {
  const taken = await tx.query(TAKEN, [accountId, keyOf(name), id]);
  if (taken.length > 0) throw new AppError("CANNED_ANSWER_NAME_TAKEN");
}
