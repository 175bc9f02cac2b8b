import type { Readable } from "node:stream";
import { type Queryable, sql } from "../../database/database.ts";
import { safeName } from "../../platform/file/download-name.ts";
import { FileTooBig } from "../../platform/file/files.ts";
import type { StagedUpload } from "../../platform/file/staged-upload.ts";
import { newId, newSecret } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { type Attachment, MAX_FILE_BYTES, mediaKindOf, mimeTypeOf } from "../content.ts";
import { AppError } from "../errors.ts";
import { jsonValue } from "../json-rows.ts";
import { checkFiles } from "../quota/files.ts";
import { quotaExceeded } from "../quota/quotas.ts";
import type { Scope } from "../scope.ts";
import type { MediaKind } from "../transport/definition.ts";
import { fileUrl } from "./file-url.ts";
import { type FileProgress, forgetFile, markStored, NO_CHANNEL } from "./files.ts";
import { receiveFile } from "./receive.ts";
import { FileRoom, NoRoom, type ReceivedFile } from "./room.ts";

/** A file that an employee uploaded for sending. `size` in bytes. */
export interface Upload {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly kind: MediaKind;
}

const BEGIN = sql(
  "upload_begin",
  `insert into files (account_id, id, channel_id, key, name, mime_type, state, source, due)
   values ($1, $2, '${NO_CHANNEL}', $3, $4, $5, 'waiting', '{"upload": true}', 'infinity')`,
);

/**
 * Stores a file of at most 50 MB, for the usual retention. `size`: bytes, if the client states them. Throws
 * QUOTA_EXCEEDED and MESSAGES_CONTENT_SIZE_EXCEEDED, without storing anything.
 */
export async function storeUpload(
  core: Base,
  scope: Scope,
  {
    name: given,
    mimeType: stated,
    size: declared,
    content,
  }: {
    readonly name: string;
    readonly mimeType: string;
    readonly size?: number;
    readonly content: Readable;
  },
): Promise<Upload> {
  await checkFiles(core, scope, declared);
  const [id, key, name] = [newId(), newSecret(24), safeName(given) || "file"];
  const mimeType = mimeTypeOf({ mimeType: stated, name });
  await core.db.query(BEGIN, [scope.accountId, id, key, name, mimeType]);
  const { quotas } = core.settings;
  const file = { accountId: scope.accountId, id, attempts: 0 };
  const room = new FileRoom(core, file);
  let upload: StagedUpload | null = null;
  try {
    if (declared !== undefined) await room.require(declared, true);
    const size = await receiveFile(content, {
      store: core.files,
      id,
      writer: 1,
      maxBytes: MAX_FILE_BYTES,
      room,
      upload,
      async onPart(part) {
        // If this process dies, the upkeep finds what it has written.
        if (upload === null) await recordPart(core.db, file, part);
        upload = part;
      },
    });
    const outcome = await markStored(core.db, file, { size, mimeType, name, maxBytes: quotas.fileBytes });
    if (outcome === "gone") throw new AppError("NOT_FOUND", { description: "The file was deleted" });
    if (outcome === "full") throw quotaExceeded(quotas, "fileBytes");
    const url = fileUrl(core.settings.publicUrl, key, name) ?? "";
    return { id, url, name, mimeType, size, kind: mediaKindOf({ mimeType }) };
  } catch (error) {
    if (upload !== null) await core.files.discard(id, upload);
    await core.files.remove(id);
    // It may have been stored although the answer was lost.
    await forgetFile(core.db, file);
    if (error instanceof NoRoom) throw quotaExceeded(quotas, "fileBytes");
    if (error instanceof FileTooBig)
      throw new AppError("MESSAGES_CONTENT_SIZE_EXCEEDED", { data: { maxBytes: MAX_FILE_BYTES } });
    throw error;
  }
}

const PART = sql("upload_part", "update files set progress = $3 where account_id = $1 and id = $2");

async function recordPart(
  db: Queryable,
  { accountId, id }: ReceivedFile,
  upload: StagedUpload,
): Promise<void> {
  const progress: FileProgress = { upload, validator: null, isWhole: false, name: null, mimeType: null };
  await db.query(PART, [accountId, id, jsonValue(progress)]);
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
