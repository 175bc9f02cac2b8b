import { type Queryable, sql } from "../../../database/database.ts";
import { audit, together } from "../../audit/audit.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import { webhookSecretContext } from "../request/request.ts";
import { printableSecret } from "../request/signature.ts";
import { newWebhookSecret } from "./settings.ts";

/** The secret with which a receiver verifies signatures. */
export interface WebhookSecret {
  /** `whsec_…`, the format of the Standard Webhooks libraries. */
  readonly secret: string;
  /** Until when requests also carry a signature by the previous secret; null: there is no previous secret. */
  readonly previousUntil: Date | null;
}

interface Row {
  readonly secret: Buffer;
  readonly previous_until: Date | null;
}

const RETURNED =
  "secret, case when previous_secret_until > now() then previous_secret_until end as previous_until";
const FIND = sql(
  "webhook_secret_find",
  `select ${RETURNED} from webhook_endpoints where account_id = $1 and id = $2`,
);

export async function getSecret(
  core: Pick<Base, "seal"> & { readonly db: Queryable },
  scope: Scope,
  receiverId: string,
): Promise<WebhookSecret> {
  return printed(core, scope, (await core.db.query<Row>(FIND, [scope.accountId, receiverId]))[0]);
}

const ROTATE = sql(
  "webhook_secret_rotate",
  `update webhook_endpoints set previous_secret = secret, secret = $3,
     previous_secret_until = now() + $4 * interval '1 second'
   where account_id = $1 and id = $2 returning ${RETURNED}`,
);

/** Creates a new secret. For `overlapSeconds`, requests are signed with the old one as well. */
export async function rotateSecret(
  core: Pick<Base, "seal"> & { readonly db: Queryable },
  scope: Scope,
  { receiverId, overlapSeconds }: { readonly receiverId: string; readonly overlapSeconds: number },
): Promise<WebhookSecret> {
  const values = [scope.accountId, receiverId, newWebhookSecret(core, scope), overlapSeconds];
  return together(core.db, async (tx) => {
    const [row] = await tx.query<Row>(ROTATE, values);
    const { accountId } = scope;
    await audit(tx, {
      accountId,
      action: "webhook.secret",
      subject: receiverId,
      details: { overlapSeconds },
    });
    return printed(core, scope, row);
  });
}

function printed({ seal }: Pick<Base, "seal">, { accountId }: Scope, row: Row | undefined): WebhookSecret {
  if (row === undefined) throw new AppError("WEBHOOK_RECEIVER_NOT_FOUND");
  const secret = printableSecret(seal.open(row.secret, webhookSecretContext(accountId)));
  return { secret, previousUntil: row.previous_until };
}
