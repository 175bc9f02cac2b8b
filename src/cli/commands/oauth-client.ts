import { findPartner } from "../../core/account/partners.ts";
import { ClientFault, listClients, registerClient } from "../../core/oauth/clients.ts";
import { type Command, CommandFailed, needed } from "../command.ts";
import { table, titledTable } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { withOwnDirectory } from "../with-directory.ts";

export const oauthClientRegister: Command = {
  name: "oauth client register",
  summary: "Register a partner's application, which may ask people for access to their accounts",
  args: [],
  options: {
    partner: { value: "EMAIL", help: "The partner", required: true },
    name: { value: "NAME", help: "Name shown to people who are asked for their consent", required: true },
    "redirect-uris": {
      value: "URIS",
      help: "Allowed redirect URIs, compared exactly, separated by spaces or commas",
      required: true,
    },
  },
  async run({ options, print }) {
    const email = needed(options["partner"]);
    const redirectUris = needed(options["redirect-uris"])
      .split(/\s+|,\s*(?=[a-z][a-z0-9+.-]*:)/i)
      .filter((uri) => uri !== "");
    const client = await withDatabase(async (place) => {
      const { db } = place;
      const partner = await findPartner(db, email);
      if (partner === null) throw new CommandFailed(`There is no partner ${email}`);
      const facts = { partnerId: partner.id, name: needed(options["name"]), redirectUris };
      return withOwnDirectory(place, (directory) => registerClient(db, facts, directory)).catch(sayFault);
    });
    const { id: clientId, name } = client;
    print({ clientId, name, partner: email, redirectUris }, () =>
      table([["client id", clientId], ["name", name], ...redirectUris.map((uri) => ["redirect to", uri])]),
    );
  },
};

export const oauthClientList: Command = {
  name: "oauth client list",
  summary: "List the applications of all partners",
  args: [],
  options: {},
  async run({ print }) {
    const clients = await withDatabase(({ db }) => listClients(db));
    print(
      clients.map(({ id, name, partner, redirectUris }) => ({ clientId: id, name, partner, redirectUris })),
      () =>
        titledTable(
          ["client id", "partner", "name", "redirects to"],
          clients.map(({ id, partner, name, redirectUris }) => [
            id,
            partner,
            name,
            redirectUris.join(" ") || "-",
          ]),
          "There is no application",
        ),
    );
  },
};

function sayFault(error: unknown): never {
  throw error instanceof ClientFault ? new CommandFailed(error.message) : error;
}
