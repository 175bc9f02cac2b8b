import { type Queryable, sql } from "../../database/database.ts";

const LIST = sql(
  "console_frame_origins",
  "select id, frame_origins from accounts where frame_origins is not null",
);

/** Sites that may embed the pages of an account, by account id. Accounts that allow any site are omitted. */
export async function listFrameOrigins(db: Queryable): Promise<ReadonlyMap<number, string[]>> {
  const rows = await db.query<{ id: number; frame_origins: string[] }>(LIST, []);
  return new Map(rows.map(({ id, frame_origins: origins }) => [id, origins]));
}
