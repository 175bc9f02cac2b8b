import { text } from "node:stream/consumers";
import { listPartners, newPassword, PartnerFault, setPartnerPassword } from "../../core/account/partners.ts";
import { createPartnerWithClient } from "../../core/oauth/new-partner.ts";
import { commandLine } from "../../platform/command-line.ts";
import { type Command, CommandFailed, needed } from "../command.ts";
import { table, titledTable } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { withOwnDirectory } from "../with-directory.ts";

const PASSWORD_STDIN = {
  help: "Read the password from the first line of stdin; otherwise one is generated and shown once",
};
const EMAIL = { value: "EMAIL", help: "E-mail address that the partner signs in with", required: true };

export const partnerCreate: Command = {
  name: "partner create",
  summary: "Create a partner, who creates accounts for clients and gets tokens for them",
  args: [],
  options: {
    email: EMAIL,
    name: {
      value: "NAME",
      help: "Name shown to people who are asked for their consent; default: the e-mail address",
    },
    "password-stdin": PASSWORD_STDIN,
  },
  async run({ options, switches, print }) {
    const email = needed(options["email"]);
    const { password, generated } = await passwordFor(switches);
    const created = await withDatabase(async (place) => {
      const given = { email, name: options["name"] ?? email, password };
      const { partner, clientId } = await withOwnDirectory(place, (directory) =>
        createPartnerWithClient(place.db, given, directory),
      ).catch(sayFault);
      return { partnerId: partner.id, email: partner.email, clientId };
    });
    const result = generated ? { ...created, password } : created;
    print(result, () =>
      table([
        ["partner", String(created.partnerId)],
        ["e-mail", created.email],
        ["client id", created.clientId],
        ...(generated ? [["password", password]] : []),
      ]),
    );
  },
};

export const partnerList: Command = {
  name: "partner list",
  summary: "List the partners",
  args: [],
  options: {},
  async run({ print }) {
    const partners = await withDatabase(({ db }) => listPartners(db));
    print(partners, () =>
      titledTable(
        ["partner", "created", "e-mail", "name"],
        partners.map(({ id, email, name, createdAt }) => [String(id), createdAt.toISOString(), email, name]),
        `There is no partner yet. Create one: ${commandLine("partner create --email EMAIL")}`,
      ),
    );
  },
};

export const partnerPassword: Command = {
  name: "partner password",
  summary: "Change a partner's password; it applies immediately, and existing tokens stay valid",
  args: [],
  options: { email: EMAIL, "password-stdin": PASSWORD_STDIN },
  async run({ options, switches, print }) {
    const email = needed(options["email"]);
    const { password, generated } = await passwordFor(switches);
    await withDatabase((place) =>
      withOwnDirectory(place, (directory) =>
        setPartnerPassword(place.db, { email, password }, directory),
      ).catch(sayFault),
    );
    print(generated ? { email, password } : { email }, () =>
      generated ? `password  ${password}` : "The password is set",
    );
  },
};

async function passwordFor(switches: readonly string[]): Promise<{ password: string; generated: boolean }> {
  if (!switches.includes("password-stdin")) return { password: newPassword(), generated: true };
  const [password = ""] = (await text(process.stdin)).split(/\r?\n/, 1);
  return { password, generated: false };
}

function sayFault(error: unknown): never {
  throw error instanceof PartnerFault ? new CommandFailed(error.message) : error;
}
