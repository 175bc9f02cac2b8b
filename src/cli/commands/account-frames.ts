import { isFrameOrigin, setFrameOrigins } from "../../core/account/frame-origins.ts";
import { accountId, type Command, needed, UsageError } from "../command.ts";
import { noAccount, withAccount } from "../with-account.ts";

export const accountFrames: Command = {
  name: "account frames",
  summary: "Set which sites may embed the pages of an account in a frame",
  args: [],
  options: {
    account: { value: "ID", help: "Id of the account", required: true },
    origins: {
      value: "LIST",
      help: 'Origins such as https://crm.example, separated by spaces; "any" or "none"',
      required: true,
    },
  },
  async run({ options, print }) {
    const id = accountId(needed(options["account"]));
    const origins = originsIn(needed(options["origins"]));
    if (!(await withAccount(id, ({ db }) => setFrameOrigins(db, { accountId: id }, origins))))
      throw noAccount(id);
    print({ accountId: id, frameOrigins: origins }, () =>
      origins === null ? "Any site may embed the pages." : `Allowed: ${origins.join(" ") || "none"}`,
    );
  },
};

/** Returns null for any origin. Accepts only complete origins, because the value is used in a response header. */
function originsIn(text: string): string[] | null {
  if (text === "any") return null;
  if (text === "none") return [];
  return text.split(/[\s,]+/).map((each) => {
    const origin = each.replace(/\/$/, "");
    if (!isFrameOrigin(origin))
      throw new UsageError(`"${each}" is not an origin such as https://crm.example`);
    return origin;
  });
}
