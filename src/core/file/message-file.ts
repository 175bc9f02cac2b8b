import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Attachment } from "../content.ts";
import { AppError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import { fileUrl } from "./file-url.ts";

const FIND = sql(
  "message_file_find",
  `select f.id, f.key, f.name, f.mime_type, f.size, m.content #> '{attachment}' as attachment
   from messages m left join files f on f.account_id = any(array[m.account_id]) and f.id = m.file_id and f.state = 'stored'
   where m.account_id = $1 and m.id = $2`,
);

interface FileOfMessage {
  readonly id: string | null;
  readonly key: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size: number;
  /** Of an outgoing message. */
  readonly attachment: Attachment | null;
}

/** The file of a message, to send it in another one. Throws MESSAGE_NOTHING_TO_SEND if it has none, or not any more. */
export async function attachFileOf(core: Base, scope: Scope, messageId: string): Promise<Attachment> {
  const [row] = await core.db.query<FileOfMessage>(FIND, [scope.accountId, messageId]);
  if (row?.attachment != null) return row.attachment;
  if (row === undefined || row.id === null)
    throw new AppError("MESSAGE_NOTHING_TO_SEND", { description: "The message has no stored file" });
  const { id: fileId, key, name, mime_type: mimeType, size } = row;
  return { url: fileUrl(core.settings.publicUrl, key, name) ?? "", name, mimeType, size, fileId };
}
