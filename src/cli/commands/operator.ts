import { cellName, cellUrl } from "../../core/cell.ts";
import { AppError } from "../../core/errors.ts";
import { firstLink, inviteOperator, resetOperator } from "../../core/operator/links.ts";
import {
  listOperators,
  type Operator,
  ROLES,
  type Role,
  removeOperator,
} from "../../core/operator/operators.ts";
import type { Queryable } from "../../database/database.ts";
import { commandLine } from "../../platform/command-line.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { titledTable } from "../table.ts";
import { refuseForeignAccount } from "../with-account.ts";
import { withDatabase } from "../with-database.ts";

export const operatorLink: Command = {
  name: "operator link",
  summary: "Create a one-time link to the console, for a new person or after a lost password",
  args: [],
  options: {
    role: { value: ROLES.join("|"), help: "Role of a new person; default operator" },
    account: { value: "ID", help: "The account of an admin, or the only account that a viewer can see" },
    login: {
      value: "NAME",
      help: "Login of a person who lost the password or second factor, instead of a new person",
    },
  },
  async run({ options, print }) {
    const { login, role, account } = options;
    if (login !== undefined && (role !== undefined || account !== undefined))
      throw new UsageError("--login selects a person who already has a role");
    const standing = {
      role: roleNamed(role ?? "operator"),
      accountId: account === undefined ? null : accountId(account),
    };
    const link = await withDatabase(async (place) => {
      const { db, config } = place;
      if (standing.accountId !== null) await refuseForeignAccount(place, standing.accountId);
      const cell = await cellName(db);
      const core = {
        db,
        settings: { publicUrl: cellUrl(config.publicUrl, cell), cell },
        byCommand: true,
      } as const;
      if (login !== undefined) return resetOperator(core, login).catch(sayFault);
      const isFirst = role === undefined && account === undefined;
      const first = isFirst ? await firstLink(core) : null;
      return first ?? inviteOperator(core, standing).catch(sayFault);
    });
    if (link === null) throw new CommandFailed(`There is no operator "${login}"`);
    print({ link }, () => `${link}\n\nIt can be used once, within 24 hours.`);
  },
};

function roleNamed(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role === undefined) throw new UsageError(`--role must be one of ${ROLES.join(", ")}`);
  return role;
}

function sayFault(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const { fields = [] } = (error.data ?? {}) as { fields?: { field: string; message: string }[] };
  const [fault] = fields;
  throw new CommandFailed(fault === undefined ? error.message : `--account ${fault.message}`);
}

export const operatorList: Command = {
  name: "operator list",
  summary: "List the operators who may sign in to the console",
  args: [],
  options: {},
  async run({ print }) {
    const operators = await withDatabase(({ db }) => listOperators(db));
    print(operators, () =>
      titledTable(
        ["name", "role", "account", "signs in by", "second factor", "signed in"],
        operators.map((each) => [
          each.login,
          each.role,
          String(each.accountId ?? "all"),
          each.isFromProvider ? "provider" : "password",
          each.hasSecondFactor ? "yes" : "no",
          each.signedInAt?.toISOString() ?? "never",
        ]),
        `There is no operator yet. Create a link: "${commandLine("operator link")}"`,
      ),
    );
  },
};

export const operatorRemove: Command = {
  name: "operator remove",
  summary: "Remove an operator's access to the console",
  args: ["NAME"],
  options: {},
  async run({ args, print }) {
    const login = needed(args[0]);
    await withDatabase(async ({ db }) => {
      const { id } = await findOperator(db, login);
      await removeOperator(db, id).catch(sayFault);
    });
    print({ removed: login }, () => `${login} can no longer sign in`);
  },
};

async function findOperator(db: Queryable, login: string): Promise<Operator> {
  const found = (await listOperators(db)).find((each) => each.login === login.toLowerCase());
  if (found === undefined) throw new CommandFailed(`There is no operator "${login}"`);
  return found;
}
