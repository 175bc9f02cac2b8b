import { isRecord } from "../../http/fields.ts";

/** A change that is reported to an app. */
export interface Change {
  readonly field: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A change with its entry. */
export interface Entry {
  /** The account's id; for partner events, the partner's own business. */
  readonly entryId: string;
  /** Unix seconds; `messages` changes have none. */
  readonly time: number | undefined;
  readonly change: Change;
}

/** The body of a callback: changes by entry; adjacent messages of the same number are merged into one value. */
export function envelope(entries: readonly Entry[]): Readonly<Record<string, unknown>> {
  const groups = Map.groupBy(entries, ({ entryId }) => entryId);
  return {
    object: "whatsapp_business_account",
    entry: [...groups].map(([id, group]) => ({
      id,
      ...(group[0]?.time !== undefined && { time: group[0].time }),
      changes: merge(group.map(({ change }) => change)),
    })),
  };
}

/** The changes of an entry built by `envelope`. */
export function changesOf(entry: Readonly<Record<string, unknown>>): Entry[] {
  const { id, time, changes } = entry as { id: string; time?: number; changes: readonly Change[] };
  return changes.map((change) => ({ entryId: id, time, change }));
}

function merge(changes: readonly Change[]): readonly Change[] {
  const merged: Change[] = [];
  for (const change of changes) {
    const last = merged.at(-1);
    const both = last && mergeTwo(last, change);
    if (both) merged[merged.length - 1] = both;
    else merged.push(change);
  }
  return merged.map(({ field, value }) => ({ value, field }));
}

/** Only messages or statuses of the same number can be merged. */
function mergeTwo(first: Change, second: Change): Change | undefined {
  const list = ["messages", "statuses"].find((name) => name in first.value && name in second.value);
  if (!list || first.field !== second.field) return undefined;
  if (JSON.stringify(first.value["metadata"]) !== JSON.stringify(second.value["metadata"])) return undefined;
  const contacts = distinct([...listOf(first, "contacts"), ...listOf(second, "contacts")]);
  const value = {
    ...first.value,
    ...(contacts.length > 0 && { contacts }),
    [list]: [...listOf(first, list), ...listOf(second, list)],
  };
  return { field: first.field, value };
}

function listOf({ value }: Change, name: string): readonly unknown[] {
  const list = value[name];
  return Array.isArray(list) ? list : [];
}

function distinct(contacts: readonly unknown[]): readonly unknown[] {
  const byId = new Map(
    contacts.filter(isRecord).map((contact) => [String(contact["wa_id"] ?? contact["user_id"]), contact]),
  );
  return [...byId.values()];
}
