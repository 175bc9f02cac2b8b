import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { cursorOf, END, type Position } from "../position.ts";
import type { MessageType } from "../transport/message.ts";
import { reachChat } from "./chat-list.ts";
import { loadMessages, type MessageView, messageView } from "./message-view.ts";
import type { InboxSession } from "./reach.ts";

export const GALLERY_KINDS = ["pictures", "videos", "files", "links"] as const;
export type GalleryKind = (typeof GALLERY_KINDS)[number];

export interface GalleryPage {
  /** Newest first. There may be fewer than asked for, or none, although earlier ones follow. */
  readonly messages: MessageView[];
  readonly next: string | null;
}

export interface GalleryQuery {
  readonly kind: GalleryKind;
  readonly before: Position | null;
  readonly limit: number;
}

const TYPES: Readonly<Record<GalleryKind, readonly MessageType[]>> = {
  pictures: ["image"],
  videos: ["video"],
  files: ["document", "audio"],
  links: [],
};
/** Messages that one statement looks at, and statements of one request. */
const STEP = 500;
const MAX_STEPS = 8;
/** A page ends after the message with which it exceeds this many bytes of text. */
const MAX_PAGE_BYTES = 1024 * 1024;

// By the index of threads: another one would make every message dearer, and few messages are looked at here.
const LOOK = sql(
  "inbox_gallery",
  `select m.id, (extract(epoch from m.created_at) * 1000000)::bigint as at,
     m.deleted_at is null and (m.type = any($5) or ($6 and m.text ~* 'https?://')) as fits
   from messages m
   where m.account_id = $1 and m.chat = $2
     and (m.created_at, m.id) < (timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid)
   order by m.created_at desc, m.id desc limit ${STEP}`,
);
type Looked = Position & { readonly fits: boolean };

/** A chat's messages with pictures, videos, other files or links. Throws CHAT_NOT_FOUND. */
export async function readGallery(
  core: Base,
  session: InboxSession,
  chat: string,
  { kind, before, limit }: GalleryQuery,
): Promise<GalleryPage> {
  await reachChat(core, session, chat);
  const { accountId } = session.scope;
  const hits: Position[] = [];
  let last: Position | null = before ?? END;
  for (let step = 0; step < MAX_STEPS && last !== null && hits.length < limit; step++) {
    const values: unknown[] = [accountId, chat, last.at, last.id, TYPES[kind], kind === "links"];
    const rows: Looked[] = await core.db.query<Looked>(LOOK, values);
    const end = endOf(rows, limit - hits.length);
    hits.push(...rows.slice(0, end).filter(({ fits }) => fits));
    last = end < rows.length || rows.length === STEP ? (rows[end - 1] ?? null) : null;
  }
  const ids = hits.map(({ id }) => id);
  const { rows, cutAt } = await loadMessages(core.db, accountId, ids, MAX_PAGE_BYTES);
  const next = cutAt === null ? last : (hits[ids.indexOf(cutAt) - 1] ?? null);
  return {
    messages: rows.map((row) => messageView(core, row)),
    next: next === null ? null : cursorOf(next),
  };
}

/** The number of rows up to the one that completes the page. */
function endOf(rows: readonly Looked[], wanted: number): number {
  let found = 0;
  for (const [index, { fits }] of rows.entries()) if (fits && ++found === wanted) return index + 1;
  return rows.length;
}
