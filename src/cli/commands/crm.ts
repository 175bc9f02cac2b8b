import { listPipelines } from "../../core/crm/pipelines.ts";
import {
  type CrmSettings,
  changeCrmSettings,
  type Funnel,
  getCrmSettings,
  NEW_CLIENT_RULES,
  type NewClientRule,
} from "../../core/crm/settings.ts";
import { listUsers, switchNewClients } from "../../core/crm/users.ts";
import type { Queryable } from "../../database/database.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { titledTable } from "../table.ts";
import { withDatabase } from "../with-database.ts";

const ACCOUNT = { account: { value: "ID", help: "The account", required: true } };

export const crmShow: Command = {
  name: "crm show",
  summary: "Show how an account assigns new clients, and the funnel of new deals",
  args: [],
  options: ACCOUNT,
  async run({ options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const settings = await withDatabase(({ db }) => getCrmSettings(db, scope));
    print(settings, () => describe(settings));
  },
};

export const crmSet: Command = {
  name: "crm set",
  summary: "Set how an account assigns new clients, and the funnel of new deals",
  args: [],
  options: {
    ...ACCOUNT,
    "new-clients": {
      value: NEW_CLIENT_RULES.join("|"),
      help: "first_respondent: the first employee to reply; in_turn: the employees who get new clients, in turn",
    },
    pipeline: { value: "ID", help: "The funnel of new deals, together with --stage" },
    stage: { value: "ID", help: "Its stage for new deals" },
  },
  async run({ options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const rule = options["new-clients"];
    const funnel = funnelOf(options["pipeline"], options["stage"]);
    if (rule === undefined && funnel === undefined)
      throw new UsageError("Nothing to set: specify --new-clients, or --pipeline and --stage");
    const change = {
      ...(rule === undefined ? {} : { newClients: newClientRule(rule) }),
      ...(funnel === undefined ? {} : { funnel }),
    };
    const settings = await withDatabase(async ({ db }) => {
      if (funnel !== undefined) await checkFunnel(db, scope, funnel);
      return changeCrmSettings(db, scope, change);
    });
    if (settings === null)
      throw new CommandFailed(
        `There is no account ${scope.accountId}; "trunkline account list" shows those there are`,
      );
    print(settings, () => describe(settings));
  },
};

function newClientRule(value: string): NewClientRule {
  const rule = NEW_CLIENT_RULES.find((one) => one === value);
  if (rule === undefined) throw new UsageError(`--new-clients must be one of ${NEW_CLIENT_RULES.join(", ")}`);
  return rule;
}

function funnelOf(pipelineId: string | undefined, stageId: string | undefined): Funnel | undefined {
  if (pipelineId === undefined && stageId === undefined) return undefined;
  if (pipelineId === undefined || stageId === undefined)
    throw new UsageError("--pipeline and --stage must be given together");
  return { pipelineId, stageId };
}

async function checkFunnel(
  db: Queryable,
  scope: { readonly accountId: number },
  { pipelineId, stageId }: Funnel,
): Promise<void> {
  const pipelines = await listPipelines(db, scope);
  const pipeline = pipelines.find(({ id }) => id === pipelineId);
  if (pipeline === undefined)
    throw new CommandFailed(`The CRM has loaded no pipeline ${pipelineId}; ${known(pipelines)}`);
  if (!pipeline.stages.some(({ id }) => id === stageId))
    throw new CommandFailed(`The pipeline ${pipelineId} has no stage ${stageId}; ${known(pipeline.stages)}`);
}

function known(items: readonly { readonly id: string; readonly name: string }[]): string {
  if (items.length === 0) return "none is known";
  return `known are ${items.map(({ id, name }) => `${id} (${name})`).join(", ")}`;
}

function describe({ newClients, funnel }: CrmSettings): string {
  return [
    `new clients  ${newClients}`,
    `pipeline     ${funnel?.pipelineId ?? "none"}`,
    `stage        ${funnel?.stageId ?? "none"}`,
  ].join("\n");
}

export const crmUsers: Command = {
  name: "crm users",
  summary: "List the employees loaded by the CRM, and who gets new clients",
  args: [],
  options: ACCOUNT,
  async run({ options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const users = await withDatabase(({ db }) => listUsers(db, scope));
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
    const found = await withDatabase(({ db }) => switchNewClients(db, scope, user));
    if (!found)
      throw new CommandFailed(`The CRM has loaded no employee ${user.id}; "trunkline crm users" shows them`);
    print(user, () => `${user.id} ${user.getsNewClients ? "gets" : "does not get"} new clients`);
  },
};

function isOn(value: string): boolean {
  if (value !== "on" && value !== "off") throw new UsageError("--new-clients must be on or off");
  return value === "on";
}
