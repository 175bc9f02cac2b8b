import type { Queryable } from "../../database/database.ts";
import type { FileStore } from "../../platform/file/files.ts";

const STORED = `select id from files where account_id = $1 and state = 'stored'
  union all select id from message_exports where account_id = $1 and finished_at is not null and expires_at > now()`;

/**
 * Copies the files of the account that are not in `copied` yet, and adds them to it. `stores` null: both cells use the
 * same store. A file whose content is missing at the source is left out.
 */
export async function copyFiles(
  stores: { readonly from: FileStore; readonly to: FileStore } | null,
  {
    source,
    accountId,
    copied,
  }: { readonly source: Queryable; readonly accountId: number; readonly copied: Set<string> },
): Promise<void> {
  if (stores === null) return;
  const { from, to } = stores;
  for (const { id } of await source.query<{ id: string }>(STORED, [accountId])) {
    if (copied.has(id)) continue;
    const size = await from.size(id);
    if (size !== undefined && (await to.size(id)) !== size)
      await to.put(id, from.open(id), { maxBytes: size });
    copied.add(id);
  }
}
