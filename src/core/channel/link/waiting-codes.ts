import { type Queryable, sql } from "../../../database/database.ts";

/** A QR code that a channel shows now. */
export interface WaitingCode {
  /** Of the channel. */
  readonly id: string;
  readonly messenger: string;
  /** The channel's name for a person. */
  readonly label: string;
  /** A data URL of a PNG. */
  readonly qr: string;
}

const LIST = sql(
  "waiting_codes",
  `select id, transport as messenger, coalesce(nullif(name, ''), '…' || right(id::text, 6)) as label, qr from channels
   where reason = 'qr' and qr is not null and deleted_at is null
     and (qr_expires_at is null or qr_expires_at > now()) order by created_at desc limit 20`,
);

/** Of all accounts, for the sandbox's phone, which plays the owner of the messenger accounts. Newest first. */
export function waitingCodes(db: Queryable): Promise<WaitingCode[]> {
  return db.query<WaitingCode>(LIST, []);
}
