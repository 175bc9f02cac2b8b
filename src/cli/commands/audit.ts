import { AUDIT_ACTIONS, type AuditRecord, listAudit } from "../../core/audit/audit.ts";
import { accountId, type Command, UsageError } from "../command.ts";
import { titledTable } from "../table.ts";
import { withAccountFilter } from "../with-account.ts";

const DEFAULT_LIMIT = "100";

export const auditList: Command = {
  name: "audit list",
  summary: "Show who changed what, newest first: tokens, grants, partners, channels, webhooks, keys",
  args: [],
  options: {
    account: { value: "ID", help: "Only of this account" },
    action: { value: "ACTION", help: `Only ${AUDIT_ACTIONS.slice(0, 3).join(", ")} and so on` },
    limit: { value: "N", help: `How many; default ${DEFAULT_LIMIT}` },
  },
  async run({ options, print }) {
    const { account, action, limit = DEFAULT_LIMIT } = options;
    if (action !== undefined && !AUDIT_ACTIONS.some((each) => each === action))
      throw new UsageError(`There is no action "${action}". There are: ${AUDIT_ACTIONS.join(", ")}`);
    if (!/^[1-9]\d{0,4}$/.test(limit)) throw new UsageError(`"${limit}" is not a number from 1 to 99999`);
    const id = account === undefined ? null : accountId(account);
    const { data } = await withAccountFilter(id, ({ db }) =>
      listAudit(db, {
        ...(id === null ? {} : { accountId: id }),
        ...(action === undefined ? {} : { action }),
        limit: Number(limit),
      }),
    );
    print(data, () =>
      titledTable(
        ["at", "account", "action", "subject", "by", "from", "details"],
        data.map(cells),
        "Nothing is recorded",
      ),
    );
  },
};

function cells({ at, accountId: account, action, subject, actor, actorId, from, details }: AuditRecord) {
  const more = Object.keys(details).length === 0 ? "" : JSON.stringify(details);
  return [at.toISOString(), String(account ?? ""), action, subject, `${actor} ${actorId}`.trim(), from, more];
}
