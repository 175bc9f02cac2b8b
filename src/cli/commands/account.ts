import { createAccount, listAccounts } from "../../core/account/accounts.ts";
import { readMoves } from "../../core/move/overview.ts";
import { commandLine } from "../../platform/command-line.ts";
import { type Command, needed } from "../command.ts";
import { titledTable } from "../table.ts";
import { withDatabase } from "../with-database.ts";

export const accountCreate: Command = {
  name: "account create",
  summary: "Create an account with an access token (/v2) and an API key (/v3), shown this once",
  args: [],
  options: { name: { value: "NAME", help: "Name of the account, for operators", required: true } },
  async run({ options, print }) {
    const created = await withDatabase(({ db }) => createAccount(db, { name: needed(options["name"]) }));
    print(created, () =>
      [
        `account       ${created.accountId}`,
        `access token  ${created.accessToken}`,
        `API key       ${created.apiKey}`,
      ].join("\n"),
    );
  },
};

export const accountList: Command = {
  name: "account list",
  summary: "List the accounts",
  args: [],
  options: {},
  async run({ print }) {
    const { accounts, left } = await withDatabase(async ({ db }) => {
      const accounts = await listAccounts(db);
      return { accounts, left: accounts.length > 0 ? [] : (await readMoves(db)).left };
    });
    print(accounts, () =>
      titledTable(
        ["account", "created", "name"],
        accounts.map(({ id, name, createdAt }) => [String(id), createdAt.toISOString(), name]),
        left.length === 0
          ? `There is no account yet. Create one: ${commandLine("account create --name NAME")}`
          : `There is no account any more: ${left.map(({ address, accounts: n }) => `${n} left for ${address}`).join(", ")}.`,
      ),
    );
  },
};
