import { type ListedExport, listExports } from "../../core/export/exports.ts";
import { accountId, type Command } from "../command.ts";
import { titledTable } from "../table.ts";
import { withAccountFilter } from "../with-account.ts";

export const messageExportList: Command = {
  name: "message export list",
  summary: "List the message exports with their progress, newest first",
  args: [],
  options: { account: { value: "ID", help: "Only those of this account" } },
  async run({ options, print }) {
    const account = options["account"] === undefined ? null : accountId(options["account"]);
    const exports = await withAccountFilter(account, ({ db }) => listExports(db, account));
    print(exports, () =>
      titledTable(
        [
          "export",
          "account",
          "status",
          "messages",
          "failures",
          "node",
          "requested",
          "from",
          "to",
          "channel",
          "until",
        ],
        exports.map(cells),
        "There is no export",
      ),
    );
  },
};

function cells({
  id,
  accountId: account,
  status,
  messages,
  failures,
  node,
  ...rest
}: ListedExport): string[] {
  const { requestedAt, startAt, endAt, channelId, expiresAt } = rest;
  return [
    id,
    String(account),
    status,
    String(messages),
    String(failures),
    node ?? "-",
    requestedAt.toISOString(),
    startAt.toISOString(),
    endAt.toISOString(),
    channelId ?? "all",
    expiresAt?.toISOString() ?? "-",
  ];
}
