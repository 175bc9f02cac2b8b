import { randomBytes } from "node:crypto";
import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import {
  type Authorization,
  type OpenIdProvider,
  ProviderAway,
  type ProviderPerson,
  ProviderRefusal,
} from "../../platform/network/openid.ts";
import { isSame } from "../../platform/same.ts";
import { giveBackAttempt, takeAttempt } from "../account/login-brake.ts";
import { NOBODYS_PASSWORD } from "../account/password.ts";
import { hashToken } from "../account/tokens.ts";
import { actAs } from "../audit/actor.ts";
import { audit } from "../audit/audit.ts";
import type { Base, ProviderSettings } from "../base.ts";
import { AppError } from "../errors.ts";
import { claimedName, claimedStanding, suffice } from "./claimed-role.ts";
import type { Standing } from "./operators.ts";
import { type ConsoleSession, endConsoleSession, type Origin, openConsoleSession } from "./sessions.ts";

// Nothing of a sign-in is stored before the browser comes back: state, nonce and PKCE's verifier are derived from
// SECRET_KEY and a secret that the browser keeps in a cookie, so any node can continue it, and only for that browser.

/** The provider at which people sign in to the console; null: there is none. */
export interface HasProvider {
  readonly provider: OpenIdProvider | null;
}

type ProviderCore = Base & HasProvider;

/** A browser may stay at the provider for this long. */
const LIFETIME_SECONDS = 1_800;
/** An ID token that is longer would make an address that servers refuse. */
const MAX_ID_TOKEN = 4_000;

/**
 * The address at the provider for the browser with this secret. Throws NOT_FOUND if there is no provider, and
 * UNAVAILABLE if it does not respond.
 */
export async function departForProvider(core: ProviderCore, browser: string): Promise<string> {
  const { provider, settings } = providerOf(core);
  const expires = Math.floor(core.clock.now().getTime() / 1_000) + LIFETIME_SECONDS;
  const begin = `${expires}.${randomBytes(16).toString("base64url")}`;
  const state = `${begin}.${derived(core, "state", begin, browser)}`;
  return provider
    .authorizationUrl(authorizationOf(core, state, browser))
    .catch((error: unknown) => refuse(core, settings, error));
}

function authorizationOf(core: Base, state: string, browser: string): Authorization {
  return {
    redirectUri: consoleAddress(core),
    state,
    nonce: derived(core, "nonce", state, browser),
    verifier: derived(core, "verifier", state, browser),
  };
}

function consoleAddress({ settings }: Pick<Base, "settings">): string {
  return `${settings.publicUrl}/app/console`;
}

function derived({ seal }: Base, purpose: string, text: string, browser: string): string {
  return seal.derive(`console sign-in ${purpose}`, text, browser).toString("base64url");
}

/** A new session. */
export interface ProviderSession {
  readonly token: string;
  readonly seconds: number;
}

interface Return extends Origin {
  /** Of the provider's redirect. */
  readonly query: URLSearchParams;
  /** The secret of the browser; null if it has none. */
  readonly browser: string | null;
}

const TAKE = sql(
  "operator_return_take",
  `insert into operator_returns (hash, expires_at) values ($1, to_timestamp($2) + interval '1 day')
   on conflict do nothing returning 1 as taken`,
);

/**
 * Signs in the person whom the provider has sent back, on whichever node. Throws INVALID_GRANT for a state that is
 * unknown, expired, used, or of another browser; FORBIDDEN if the provider refuses or the claims give no role;
 * UNAVAILABLE if the provider does not respond; TOO_MANY_LOGINS after ten failures from an address within 15 minutes.
 */
export async function returnFromProvider(
  core: ProviderCore,
  { query, browser, ...origin }: Return,
): Promise<ProviderSession> {
  const { provider, settings } = providerOf(core);
  const state = query.get("state") ?? "";
  const expires = browser === null ? null : expiryOf(core, state, browser);
  if (browser === null || expires === null) throw staleReturn();
  const attempt = await takeAttempt(core.db, "console provider", origin.address);
  if ((await core.db.query(TAKE, [hashToken(state), expires])).length === 0) throw staleReturn();
  const person = await provider
    .exchange(authorizationOf(core, state, browser), query, (claims) => suffice(claims, settings.roleClaim))
    .catch(async (error: unknown) => {
      // Nobody is at fault.
      if (error instanceof ProviderAway) await giveBackAttempt(core.db, attempt);
      return refuse(core, settings, error);
    });
  const result = await admit(core, person, { settings, origin });
  if ("refusal" in result) throw new AppError("FORBIDDEN", { description: result.refusal });
  await giveBackAttempt(core.db, attempt);
  return result;
}

/** When the state expires, in Unix seconds; null: it is not one of this browser, or has expired. */
function expiryOf(core: Base, state: string, browser: string): number | null {
  const [, begin = "", seconds = "", proof = ""] = /^((\d{10})\.[\w-]{22})\.([\w-]{43})$/.exec(state) ?? [];
  const expires = Number(seconds);
  if (begin === "" || expires * 1_000 <= core.clock.now().getTime()) return null;
  return isSame(proof, derived(core, "state", begin, browser)) ? expires : null;
}

function staleReturn(): AppError {
  return new AppError("INVALID_GRANT", {
    description:
      "This sign-in has expired, was used already, or was begun in another browser. Sign in again.",
  });
}

// One at a time, because of the names, which must be unique. A sign-in takes milliseconds here.
const LOCK = "lock table operators in share row exclusive mode";
const FIND = sql(
  "operator_by_provider",
  `select id, login, role, account_id as "accountId" from operators where provider_id = $1`,
);
const ADD = sql(
  "operator_insert_by_provider",
  "insert into operators (id, login, role, account_id, password, provider_id) values ($1, $2, $3, $4, $5, $6)",
);
const CHANGE = sql(
  "operator_change_by_provider",
  "update operators set login = $2, role = $3, account_id = $4 where id = $1",
);
const END_SESSIONS = "delete from operator_sessions where operator_id = $1";

interface Known extends Standing {
  readonly id: string;
  readonly login: string;
}

interface Admission {
  readonly settings: ProviderSettings;
  readonly origin: Origin;
}

/** The person becomes what the claims say; without a role their sessions end. */
function admit(
  core: Base,
  person: ProviderPerson,
  { settings, origin }: Admission,
): Promise<ProviderSession | { readonly refusal: string }> {
  const standing = claimedStanding(person.claims, settings);
  const providerId = `${person.issuer} ${person.subject}`;
  return core.db.tx(async (tx) => {
    await tx.query(LOCK);
    const [known] = await tx.query<Known>(FIND, [providerId]);
    const login = await freeLogin(tx, claimedName(person.claims, person.subject), providerId);
    return actAs({ kind: "console", id: login, from: origin.address }, async () => {
      const refusal = await refusalOf(tx, standing, settings);
      if (standing === null || refusal !== null) {
        if (known !== undefined) await tx.query(END_SESSIONS, [known.id]);
        const details = { login, provider: person.issuer, subject: person.subject };
        await audit(tx, { accountId: null, action: "operator.refuse", subject: known?.id ?? "", details });
        return { refusal: refusal ?? "" };
      }
      const id = await keep(tx, known, { login, providerId, standing });
      const details = { provider: settings.name };
      await audit(tx, { accountId: standing.accountId, action: "operator.sign_in", subject: id, details });
      const seconds = Math.floor(settings.sessionMs / 1_000);
      const idToken = person.idToken.length > MAX_ID_TOKEN ? null : person.idToken;
      return {
        token: await openConsoleSession({ ...core, db: tx }, id, origin, {
          seconds,
          seal: core.seal,
          idToken,
        }),
        seconds,
      };
    });
  });
}

async function refusalOf(
  tx: Queryable,
  standing: Standing | null,
  { name, roleClaim }: ProviderSettings,
): Promise<string | null> {
  if (standing === null)
    return `${name} knows you, but nothing in the claim "${roleClaim}" gives you a role in this console. Ask those who manage ${name} or OIDC_ROLES.`;
  if (standing.accountId === null) return null;
  const known = await tx.query("select 1 from accounts where id = $1", [standing.accountId]);
  return known.length > 0
    ? null
    : `OIDC_ROLES gives you account ${standing.accountId}, which does not exist.`;
}

/** Stores the person, and returns their id. */
async function keep(
  tx: Queryable,
  known: Known | undefined,
  {
    login,
    providerId,
    standing: { role, accountId },
  }: { readonly login: string; readonly providerId: string; readonly standing: Standing },
): Promise<string> {
  if (known === undefined) {
    const id = newId();
    await tx.query(ADD, [id, login, role, accountId, NOBODYS_PASSWORD, providerId]);
    await audit(tx, { accountId, action: "operator.create", subject: id, details: { login, role } });
    return id;
  }
  if (known.login !== login || known.role !== role || known.accountId !== accountId) {
    await tx.query(CHANGE, [known.id, login, role, accountId]);
    const details = { login, role, account: accountId, former: { login: known.login, role: known.role } };
    await audit(tx, { accountId, action: "operator.change", subject: known.id, details });
  }
  return known.id;
}

const TAKEN = sql(
  "operator_login_taken",
  "select 1 from operators where login = $1 and provider_id is distinct from $2",
);

/** The name, or another one if somebody else has it: a person never gets the name of another. */
async function freeLogin(tx: Queryable, wanted: string, providerId: string): Promise<string> {
  const hash = hashToken(providerId).toString("hex");
  for (const login of [wanted, `${wanted}+${hash.slice(0, 12)}`])
    if ((await tx.query(TAKEN, [login, providerId])).length === 0) return login;
  return hash;
}

/**
 * Ends a session, and returns the address at which the browser ends that of the provider too; null if the session was
 * not opened there, or the provider has no such address or is away.
 */
export async function leaveConsole(
  core: ProviderCore,
  { operator, id }: ConsoleSession,
): Promise<string | null> {
  const { idToken } = await endConsoleSession(core, operator.id, id);
  if (!operator.isFromProvider || core.provider === null) return null;
  return core.provider.endSessionUrl({ returnTo: consoleAddress(core), idToken }).catch((error: unknown) => {
    core.log.warn({ err: error }, "the sign-out at the console's provider is left out");
    return null;
  });
}

function providerOf({ provider, settings }: ProviderCore): {
  readonly provider: OpenIdProvider;
  readonly settings: ProviderSettings;
} {
  if (provider === null || settings.console.provider === null)
    throw new AppError("NOT_FOUND", { description: "This installation has no sign-in at a provider" });
  return { provider, settings: settings.console.provider };
}

/** Only the log says why a provider is away, as the cause of the error: its address may be internal. */
function refuse(core: Base, { name }: ProviderSettings, error: unknown): never {
  if (error instanceof ProviderRefusal) {
    core.log.warn({ err: error }, "the console's provider did not sign a person in");
    throw new AppError("FORBIDDEN", {
      description: `${name} did not sign you in: ${error.message}`,
      cause: error,
    });
  }
  if (!(error instanceof ProviderAway)) throw error;
  const others = core.settings.console.passwords ? " Passwords work meanwhile." : "";
  throw new AppError("UNAVAILABLE", {
    description: `${name} cannot be reached; the log of the service says why.${others}`,
    cause: error,
  });
}
