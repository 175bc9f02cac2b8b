import {
  type CrmSettings,
  changeCrmSettings,
  getCrmSettings,
  NEW_CLIENT_RULES,
  type NewClientRule,
} from "../../core/crm/settings.ts";
import { listUsers, switchNewClients } from "../../core/crm/users.ts";
import { commandLine } from "../../platform/command-line.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { titledTable } from "../table.ts";
import { noAccount, withAccount, withAccountFilter } from "../with-account.ts";

const ACCOUNT = { account: { value: "ID", help: "The account", required: true } };

export const crmShow: Command = {
  name: "crm show",
  summary: "Show how an account assigns new clients",
  args: [],
  options: ACCOUNT,
  async run({ options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const settings = await withAccount(scope.accountId, ({ db }) => getCrmSettings(db, scope));
    print(settings, () => describe(settings));
  },
};

export const crmSet: Command = {
  name: "crm set",
  summary: "Set how an account assigns new clients",
  args: [],
  options: {
    ...ACCOUNT,
    "new-clients": {
      value: NEW_CLIENT_RULES.join("|"),
      help: "first_respondent: the first employee to reply; in_turn: the employees who get new clients, in turn",
      required: true,
    },
  },
  async run({ options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const newClients = newClientRule(needed(options["new-clients"]));
    const settings = await withAccount(scope.accountId, ({ db }) =>
      changeCrmSettings(db, scope, { newClients }),
    );
    if (settings === null) throw noAccount(scope.accountId);
    print(settings, () => describe(settings));
  },
};

function newClientRule(value: string): NewClientRule {
  const rule = NEW_CLIENT_RULES.find((one) => one === value);
  if (rule === undefined) throw new UsageError(`--new-clients must be one of ${NEW_CLIENT_RULES.join(", ")}`);
  return rule;
}

function describe({ newClients }: CrmSettings): string {
  return `new clients  ${newClients}`;
}

export const crmUsers: Command = {
  name: "crm users",
  summary: "List the employees loaded by the CRM, and who gets new clients",
  args: [],
  options: ACCOUNT,
  async run({ options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const users = await withAccount(scope.accountId, ({ db }) => listUsers(db, scope));
    print(users, () =>
      titledTable(
        ["user", "new clients", "name"],
        users.map(({ id, getsNewClients, name }) => [id, getsNewClients ? "yes" : "no", name]),
        "There is no employee",
      ),
    );
  },
};

export const crmUser: Command = {
  name: "crm user",
  summary: "Set whether an employee gets new clients",
  args: ["USER"],
  options: {
    ...ACCOUNT,
    "new-clients": { value: "on|off", help: "Whether this employee gets new clients", required: true },
  },
  async run({ args, options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const user = { id: needed(args[0]), getsNewClients: isOn(needed(options["new-clients"])) };
    const found = await withAccountFilter(scope.accountId, ({ db }) => switchNewClients(db, scope, user));
    if (!found)
      throw new CommandFailed(
        `The CRM has loaded no employee ${user.id}; "${commandLine("crm users")}" shows them`,
      );
    print(user, () => `${user.id} ${user.getsNewClients ? "gets" : "does not get"} new clients`);
  },
};

function isOn(value: string): boolean {
  if (value !== "on" && value !== "off") throw new UsageError("--new-clients must be on or off");
  return value === "on";
}
