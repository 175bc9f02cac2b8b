import { randomBytes } from "node:crypto";
import type { tl } from "@mtcute/core";
import { AdminError } from "../../http/fields.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { personById } from "../world/directory.ts";
import type { LoginToken } from "../world/login.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";
import { checkApi } from "./auth.ts";
import { announceLogin, logIn } from "./login.ts";

const prefix = "tg://login?token=";

/** Login by a QR code that a phone scans (core.telegram.org/api/qr-login). */
export const qrLoginMethods = {
  "auth.exportLoginToken"({ apiId, apiHash, exceptIds }, call) {
    checkApi(apiId, apiHash);
    const { world, key } = call;
    const scanned = [...world.loginTokens.values()].find(
      ({ keyId, userId }) => keyId === key.id && userId !== undefined,
    );
    if (scanned) return accept(call, scanned);
    return show(call, exceptIds.map(Number));
  },

  "auth.importLoginToken"({ token }, call) {
    const known = call.world.loginTokens.get(Buffer.from(token).toString("hex"));
    if (!known) throw bad("AUTH_TOKEN_INVALID");
    if (known.expires <= call.world.clock.now()) throw bad("AUTH_TOKEN_EXPIRED");
    if (known.userId === undefined) throw bad("AUTH_TOKEN_INVALID");
    return accept(call, known);
  },
} satisfies Methods;

/** A person's phone scans the code, and the person confirms. Resolves once the client was notified. */
export function scan(world: World, person: Person, text: string): LoginToken {
  if (!text.startsWith(prefix)) throw new AdminError(400, "invalid_field", `qr must begin with ${prefix}`);
  const token = Buffer.from(text.slice(prefix.length), "base64url").toString("hex");
  const known = world.loginTokens.get(token);
  if (!known || known.expires <= world.clock.now())
    throw new AdminError(410, "expired_token", "AUTH_TOKEN_EXPIRED");
  if (known.userId !== undefined) throw new AdminError(409, "accepted_token", "AUTH_TOKEN_ALREADY_ACCEPTED");
  if (known.exceptIds.includes(person.id))
    throw new AdminError(409, "except_id", "the client has this account already");
  known.userId = person.id;
  world.note("scanned", { detail: person.phone });
  for (const session of world.sessions.values())
    if (session.key.id === known.keyId && session.wantsUpdates)
      session.push({ _: "updateShort", update: { _: "updateLoginToken" }, date: world.clock.now() });
  return known;
}

function show({ world, key }: Call, exceptIds: readonly number[]): tl.auth.RawLoginToken {
  const { expires, token } = makeToken(world, { keyId: key.id, exceptIds });
  world.note("qr", { key });
  return { _: "auth.loginToken", expires, token };
}

function makeToken(world: World, setup: Pick<LoginToken, "keyId" | "exceptIds">): LoginToken {
  for (const [name, { expires, userId }] of world.loginTokens)
    if (userId === undefined && expires <= world.clock.now()) world.loginTokens.delete(name);
  const expires = world.clock.now() + world.settings.tokenSeconds;
  const token: LoginToken = { ...setup, token: randomBytes(32), expires, userId: undefined };
  world.loginTokens.set(token.token.toString("hex"), token);
  return token;
}

/** After a scan: logs the person in here, or redirects the client to the person's home data centre. */
function accept(call: Call, scanned: LoginToken): tl.auth.TypeLoginToken {
  const { world, key } = call;
  const person = personById(world, scanned.userId ?? 0);
  if (person.homeDc !== key.dc)
    return { _: "auth.loginTokenMigrateTo", dcId: person.homeDc, token: scanned.token };
  world.loginTokens.delete(scanned.token.toString("hex"));
  const authorization = logIn(call, person);
  announceLogin(call, person);
  return { _: "auth.loginTokenSuccess", authorization };
}
