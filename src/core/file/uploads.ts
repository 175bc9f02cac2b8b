import type { Readable } from "node:stream";
import { sql } from "../../database/database.ts";
import { safeName } from "../../platform/file/download-name.ts";
import { FileTooBig } from "../../platform/file/files.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { type Attachment, MAX_FILE_BYTES, mediaKindOf, mimeTypeOf } from "../message/content.ts";
import { checkFiles } from "../quota/files.ts";
import { quotaExceeded } from "../quota/quotas.ts";
import type { Scope } from "../scope.ts";
import type { MediaKind } from "../transport/definition.ts";
import { fileUrl } from "./file-url.ts";
import { forgetFile, markStored } from "./files.ts";

/** A file that an employee uploaded for sending. `size` in bytes. */
export interface Upload {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly kind: MediaKind;
}

/** It belongs to no channel until it is sent. */
const NO_CHANNEL = "00000000-0000-0000-0000-000000000000";

const BEGIN = sql(
  "upload_begin",
  `insert into files (account_id, id, channel_id, key, name, mime_type, state, source, due)
   values ($1, $2, '${NO_CHANNEL}', $3, $4, $5, 'waiting', '{"upload": true}', 'infinity')`,
);

/**
 * Stores a file of at most 50 MB, for the usual retention. Throws QUOTA_EXCEEDED and MESSAGES_CONTENT_SIZE_EXCEEDED,
 * without storing anything.
 */
export async function storeUpload(
  core: Base,
  scope: Scope,
  {
    name: given,
    mimeType: stated,
    content,
  }: { readonly name: string; readonly mimeType: string; readonly content: Readable },
): Promise<Upload> {
  await checkFiles(core, scope);
  const [id, key, name] = [newId(), newSecret(24), safeName(given) || "file"];
  const mimeType = mimeTypeOf({ mimeType: stated, name });
  await core.db.query(BEGIN, [scope.accountId, id, key, name, mimeType]);
  try {
    const { size } = await core.files.put(id, content, { maxBytes: MAX_FILE_BYTES });
    const { quotas } = core.settings;
    const file = { accountId: scope.accountId, id };
    if (!(await markStored(core.db, file, { size, mimeType, name, maxBytes: quotas.fileBytes })))
      throw quotaExceeded(quotas, "fileBytes");
    const url = fileUrl(core.settings.publicUrl, key, name) ?? "";
    return { id, url, name, mimeType, size, kind: mediaKindOf({ mimeType }) };
  } catch (error) {
    await core.files.remove(id);
    // It may have been stored although the answer was lost.
    await forgetFile(core.db, { accountId: scope.accountId, id });
    if (error instanceof FileTooBig)
      throw new AppError("MESSAGES_CONTENT_SIZE_EXCEEDED", { data: { maxBytes: MAX_FILE_BYTES } });
    throw error;
  }
}

const FIND = sql(
  "upload_find",
  `select key, name, mime_type, size from files
   where account_id = $1 and id = $2 and state = 'stored' and source ? 'upload'`,
);

/**
 * An upload as an attachment of a message. Throws NOT_FOUND for an upload of another account, and for a file that is
 * not an upload.
 */
export async function attachUpload(core: Base, scope: Scope, fileId: string): Promise<Attachment> {
  const [row] = await core.db.query<{ key: string; name: string; mime_type: string; size: number }>(FIND, [
    scope.accountId,
    fileId,
  ]);
  if (row === undefined) throw new AppError("NOT_FOUND", { description: "There is no such file" });
  const { key, name, mime_type: mimeType, size } = row;
  return { url: fileUrl(core.settings.publicUrl, key, name) ?? "", name, mimeType, size, fileId };
}
