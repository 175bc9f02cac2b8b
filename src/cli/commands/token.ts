import { createToken, revokeToken, TOKEN_KINDS, type TokenKind } from "../../core/account/accounts.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { withDatabase } from "../with-database.ts";

export const tokenCreate: Command = {
  name: "token create",
  summary: "Issue one more token for an account, shown this once",
  args: [],
  options: {
    account: { value: "ID", help: "The account", required: true },
    kind: {
      value: TOKEN_KINDS.join("|"),
      help: "access opens /v2, api opens /v3, sidecar a part of /v3",
      required: true,
    },
  },
  async run({ options, print }) {
    const account = accountId(needed(options["account"]));
    const kind = tokenKind(needed(options["kind"]));
    const issued = await withDatabase(({ db }) => createToken(db, account, kind));
    print(issued, () => `id     ${issued.id}\ntoken  ${issued.token}`);
  },
};

export const tokenRevoke: Command = {
  name: "token revoke",
  summary: "Refuse a token from now on, given itself or its id",
  args: ["TOKEN-OR-ID"],
  options: {},
  async run({ args, print }) {
    const revoked = await withDatabase(({ db }) => revokeToken(db, needed(args[0])));
    if (!revoked) throw new CommandFailed("There is no such token, or it was revoked before");
    print({ revoked }, () => "The token is revoked");
  },
};

function tokenKind(value: string): TokenKind {
  const kind = TOKEN_KINDS.find((one) => one === value);
  if (kind === undefined) throw new UsageError(`--kind must be one of ${TOKEN_KINDS.join(", ")}`);
  return kind;
}
