import {
  createToken,
  listTokens,
  TOKEN_KINDS,
  type TokenKind,
  type TokenRecord,
} from "../../core/account/tokens.ts";
import { endSubscriptions } from "../../core/delivery/receiver/grant-end.ts";
import { revokeAny } from "../../core/oauth/revoke.ts";
import { accountId, type Command, CommandFailed, needed, UsageError } from "../command.ts";
import { titledTable } from "../table.ts";
import { withAccount } from "../with-account.ts";
import { withDatabase } from "../with-database.ts";
import { withOwnDirectory } from "../with-directory.ts";

export const tokenCreate: Command = {
  name: "token create",
  summary: "Issue another token for an account; it is shown once",
  args: [],
  options: {
    account: { value: "ID", help: "The account", required: true },
    kind: {
      value: TOKEN_KINDS.join("|"),
      help: "access is for /v2, agent for reading it and proposing messages, api for /v3, sidecar for a part of /v3",
      required: true,
    },
  },
  async run({ options, print }) {
    const account = accountId(needed(options["account"]));
    const kind = tokenKind(needed(options["kind"]));
    const issued = await withAccount(account, ({ db }) => createToken(db, account, kind));
    print(issued, () => `id     ${issued.id}\ntoken  ${issued.token}`);
  },
};

export const tokenList: Command = {
  name: "token list",
  summary: "List the tokens of an account with their last use and application",
  args: [],
  options: { account: { value: "ID", help: "The account", required: true } },
  async run({ options, print }) {
    const scope = { accountId: accountId(needed(options["account"])) };
    const tokens = await withAccount(scope.accountId, ({ db }) => listTokens(db, scope));
    print(tokens, () =>
      titledTable(
        ["id", "kind", "ends with", "created", "last used", "state", "given to"],
        tokens.map((token) => [
          token.id,
          token.kind,
          token.hint,
          token.createdAt.toISOString(),
          token.lastUsedAt?.toISOString() ?? "never",
          stateOf(token, new Date()),
          token.application ?? "-",
        ]),
        "There is no token",
      ),
    );
  },
};

function stateOf({ revokedAt, expiresAt }: TokenRecord, now: Date): string {
  if (revokedAt !== null) return `revoked ${revokedAt.toISOString()}`;
  if (expiresAt === null) return "valid";
  return `${expiresAt > now ? "valid until" : "expired"} ${expiresAt.toISOString()}`;
}

export const tokenRevoke: Command = {
  name: "token revoke",
  summary: "Revoke a token, given by value or id; an OAuth token with its whole grant",
  args: ["TOKEN-OR-ID"],
  options: {},
  async run({ args, print }) {
    const revoked = await withDatabase((place) =>
      withOwnDirectory(place, (directory) =>
        revokeAny({ db: place.db, onGrantEnd: endSubscriptions, directory }, needed(args[0])),
      ),
    );
    if (!revoked) throw new CommandFailed("There is no such token, or it has already been revoked");
    print({ revoked }, () => "The token is revoked");
  },
};

function tokenKind(value: string): TokenKind {
  const kind = TOKEN_KINDS.find((one) => one === value);
  if (kind === undefined) throw new UsageError(`--kind must be one of ${TOKEN_KINDS.join(", ")}`);
  return kind;
}
