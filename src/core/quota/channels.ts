import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { Scope } from "../scope.ts";
import { checkQuota } from "./quotas.ts";

const COUNT = sql(
  "quota_channels",
  `select count(*)::int as channels,
     (count(*) filter (where messenger_id is null and transport = any($2)))::int as unlinked
   from channels where account_id = $1 and deleted_at is null`,
);

/** Call after a channel was added, with the account locked. Throws QUOTA_EXCEEDED. */
export async function checkChannels(core: Base, tx: Queryable, { accountId }: Scope): Promise<void> {
  const linkedByPeople = [...core.transports.values()]
    .filter(({ definition }) => definition.connect !== "credentials")
    .map(({ definition }) => definition.id);
  const [counted] = await tx.query<{ channels: number; unlinked: number }>(COUNT, [
    accountId,
    linkedByPeople,
  ]);
  const { channels = 0, unlinked = 0 } = counted ?? {};
  checkQuota(core.settings.quotas, "channels", channels);
  checkQuota(core.settings.quotas, "unlinkedChannels", unlinked);
}
