import { type Fields, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { App, BanState, ReviewStatus, Waba } from "../account/account.ts";
import { announceTo, partnerEvents } from "../account/partner.ts";
import { isTier, tierNumber } from "../account/tier.ts";
import { defaultScopes, type Scope, type Token } from "../call/token.ts";
import { checkCallback } from "../node/number.ts";
import { announce } from "../update/announce.ts";
import type { World } from "../world.ts";
import { asAdmin } from "./refusal.ts";

const banStates: readonly BanState[] = ["DISABLE", "SCHEDULE_FOR_DISABLE", "REINSTATE"];
const decisions: readonly ReviewStatus[] = ["APPROVED", "REJECTED", "PENDING", "DEFERRED"];

/** Apps, accounts and tokens: actions of owners and Meta outside the API. */
export function accountRoutes(world: World): AdminRoute[] {
  const wabaOf = ({ params }: AdminCall) => world.waba(params.needText("waba_id"));
  const appOf = ({ params }: AdminCall) => world.app(params.needText("app_id"));
  return [
    ["POST", "/apps", ({ body }) => describeApp(addApp(world, body))],
    ["GET", "/apps", () => ({ items: [...world.apps.values()].map(describeApp) })],
    ["POST", "/apps/{app_id}/subscriptions", (call) => subscribeApp(world, appOf(call), call.body)],
    ["POST", "/wabas", ({ body }) => describeWaba(world, addWaba(world, body))],
    ["GET", "/wabas", () => ({ items: [...world.wabas.values()].map((waba) => describeWaba(world, waba)) })],
    ["GET", "/wabas/{waba_id}", (call) => describeWaba(world, wabaOf(call))],
    ["POST", "/wabas/{waba_id}/bans", (call) => ban(world, wabaOf(call), call.body)],
    ["POST", "/wabas/{waba_id}/restrictions", (call) => restrict(world, wabaOf(call), call.body)],
    ["POST", "/wabas/{waba_id}/violations", (call) => violate(world, wabaOf(call), call.body)],
    ["POST", "/wabas/{waba_id}/reviews", (call) => review(world, wabaOf(call), call.body)],
    ["POST", "/wabas/{waba_id}/limits", (call) => setLimit(world, wabaOf(call), call.body)],
    ["POST", "/wabas/{waba_id}/shares", (call) => share(world, wabaOf(call), call.body)],
    ["POST", "/wabas/{waba_id}/uninstalls", (call) => uninstall(world, wabaOf(call), call.body)],
    ["POST", "/wabas/{waba_id}/deletions", (call) => remove(world, wabaOf(call))],
    ["POST", "/tokens", ({ body }) => describeToken(addToken(world, body))],
    ["GET", "/tokens", () => ({ items: [...world.tokens.values()].map(describeToken) })],
    ["POST", "/tokens/expirations", ({ body }) => expireTokens(world, body)],
  ];
}

function addApp(world: World, body: Fields): App {
  const id = body.text("id");
  const secret = body.text("secret");
  const name = body.text("name");
  return world.addApp({
    ...(id !== undefined && { id }),
    ...(secret !== undefined && { secret }),
    ...(name !== undefined && { name }),
    requireProof: body.flag("require_appsecret_proof") ?? false,
    redirectUris: (body.list("redirect_uris") ?? []).map(String),
  });
}

function describeApp(app: App): unknown {
  const { id, secret, name, businessId, requireProof, redirectUris, callbackUrl, fields } = app;
  return {
    id,
    secret,
    name,
    business_id: businessId,
    require_appsecret_proof: requireProof,
    redirect_uris: redirectUris,
    callback_url: callbackUrl ?? null,
    fields: [...fields],
  };
}

/** The form of the app's dashboard: address, verify token and fields; the address must answer the challenge. */
async function subscribeApp(world: World, app: App, body: Fields): Promise<unknown> {
  const url = body.needText("callback_url");
  await asAdmin(() => checkCallback(world, url, body.text("verify_token") ?? ""));
  app.callbackUrl = url;
  const fields = body.list("fields");
  if (fields) app.fields = new Set(fields.map(String));
  world.changed();
  return describeApp(app);
}

function addWaba(world: World, body: Fields): Waba {
  const id = body.text("id");
  const name = body.text("name");
  const business = body.text("business_id");
  const limit = body.text("messaging_limit");
  if (limit !== undefined && !isTier(limit)) throw invalid("messaging_limit", "a tier, e.g. TIER_2K");
  const waba = world.addWaba({
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(business !== undefined && { businessId: business }),
    ...(limit !== undefined && { limit }),
  });
  for (const appId of body.list("subscribed_app_ids") ?? []) {
    waba.subscriptions.set(world.app(String(appId)).id, { overrideUrl: undefined });
  }
  return waba;
}

function describeWaba(world: World, waba: Waba): unknown {
  const subscriptions = [...waba.subscriptions].map(([id, { overrideUrl }]) => ({
    app_id: id,
    override_callback_uri: overrideUrl ?? null,
  }));
  return {
    id: waba.id,
    name: waba.name,
    business_id: waba.businessId,
    account_review_status: waba.reviewStatus,
    ban_state: waba.ban ?? null,
    restrictions: waba.restrictions,
    messaging_limit: waba.limit,
    deleted: waba.deleted,
    subscriptions,
    number_ids: world.numbersOf(waba).map(({ id }) => id),
  };
}

/** Reports a change of the account that has already been made. */
export function tellAccount(
  world: World,
  waba: Waba,
  field: string,
  value: Readonly<Record<string, unknown>>,
): unknown {
  world.changed();
  return { callbacks: announce(world, { waba, orderingKey: `account ${waba.id}` }, { field, value }) };
}

/** `DISABLED_UPDATE`: after `DISABLE`, all sends return 131031 until `REINSTATE`. */
function ban(world: World, waba: Waba, body: Fields): unknown {
  const text = body.text("state") ?? "DISABLE";
  const state = banStates.find((candidate) => candidate === text);
  if (!state) throw invalid("state", banStates.join(", "));
  waba.ban = state;
  const date = new Date(world.clock.nowMs());
  const info = {
    waba_ban_state: state,
    waba_ban_date: date.toLocaleDateString("en-US", {
      month: "long",
      day: "numeric",
      year: "numeric",
      timeZone: "UTC",
    }),
  };
  return tellAccount(world, waba, "account_update", { event: "DISABLED_UPDATE", ban_info: info });
}

/** `ACCOUNT_RESTRICTION`; with `RESTRICTED_BIZ_INITIATED_MESSAGING`, templates to closed windows return 368. */
function restrict(world: World, waba: Waba, body: Fields): unknown {
  const types = (body.list("types") ?? ["RESTRICTED_BIZ_INITIATED_MESSAGING"]).map(String);
  waba.restrictions = types;
  const expiration = world.clock.now() + (body.integer("seconds") ?? 24 * 3600);
  const info = types.map((type) => ({ restriction_type: type, expiration: String(expiration) }));
  return tellAccount(world, waba, "account_update", { event: "ACCOUNT_RESTRICTION", restriction_info: info });
}

function violate(world: World, waba: Waba, body: Fields): unknown {
  const info = { violation_type: body.text("type") ?? "SPAM" };
  return tellAccount(world, waba, "account_update", { event: "ACCOUNT_VIOLATION", violation_info: info });
}

/** Until it is approved, the account cannot send (131031). */
function review(world: World, waba: Waba, body: Fields): unknown {
  const text = body.needText("decision");
  const decision = decisions.find((candidate) => candidate === text);
  if (!decision) throw invalid("decision", decisions.join(", "));
  waba.reviewStatus = decision;
  return tellAccount(world, waba, "account_review_update", { decision });
}

/** `business_capability_update`; `form: "number"` is the format before 2026. */
function setLimit(world: World, waba: Waba, body: Fields): unknown {
  const tier = body.needText("tier");
  if (!isTier(tier)) throw invalid("tier", "a tier, e.g. TIER_2K");
  waba.limit = tier;
  const asNumber = body.text("form") === "number";
  return tellAccount(world, waba, "business_capability_update", {
    max_daily_conversations_per_business: asNumber ? tierNumber(tier) : tier,
    ...(tier === "TIER_250" ? { max_phone_numbers_per_business: 2 } : { max_phone_numbers_per_waba: 25 }),
  });
}

/** The owner shares the account with an app's business without the app's dialog, or ends that. */
function share(world: World, waba: Waba, body: Fields): unknown {
  const text = body.text("event") ?? "PARTNER_ADDED";
  const event = partnerEvents.find((candidate) => candidate === text);
  if (!event) throw invalid("event", partnerEvents.join(", "));
  return { callbacks: announceTo(world, world.app(body.needText("app_id")), waba, event) ? 1 : 0 };
}

/** The owner revokes an app's access: its tokens become invalid (190), which is reported. */
function uninstall(world: World, waba: Waba, body: Fields): unknown {
  const wanted = body.text("app_id") ?? [...waba.subscriptions.keys()][0] ?? "";
  const app = world.app(wanted);
  for (const token of world.tokens.values()) {
    if (token.appId === app.id && (token.wabaIds?.includes(waba.id) ?? true)) token.withdrawn = "app";
  }
  const told = announceTo(world, app, waba, "PARTNER_APP_UNINSTALLED");
  waba.subscriptions.delete(app.id);
  world.changed();
  return { callbacks: told ? 1 : 0 };
}

function remove(world: World, waba: Waba): unknown {
  waba.deleted = true;
  return tellAccount(world, waba, "account_update", { event: "ACCOUNT_DELETED" });
}

function addToken(world: World, body: Fields): Token {
  const value = body.text("token");
  const seconds = body.integer("expires_in");
  const wabaIds = body.list("waba_ids")?.map((id) => world.waba(String(id)).id);
  return world.addToken({
    ...(value !== undefined && { value }),
    appId: world.app(body.needText("app_id")).id,
    type: "SYSTEM_USER",
    scopes: (body.list("scopes") as readonly Scope[] | undefined) ?? defaultScopes,
    wabaIds,
    expiresAtMs: seconds === undefined ? undefined : world.clock.nowMs() + seconds * 1000,
  });
}

function describeToken({ value, appId, scopes, wabaIds, expiresAtMs, withdrawn }: Token): unknown {
  return {
    token: value,
    app_id: appId,
    scopes,
    waba_ids: wabaIds ?? null,
    expires_at: expiresAtMs === undefined ? null : Math.floor(expiresAtMs / 1000),
    withdrawn: withdrawn ?? null,
  };
}

/** `{token?}`: that one, or all. `reason`: `expired` (463), `session` (460) or `app` (458). */
function expireTokens(world: World, body: Fields): unknown {
  const reason = body.text("reason") ?? "expired";
  if (reason !== "expired" && reason !== "session" && reason !== "app") {
    throw invalid("reason", "expired, session or app");
  }
  const value = body.text("token");
  const tokens = [...world.tokens.values()].filter((token) => (value ?? token.value) === token.value);
  for (const token of tokens) {
    if (reason === "expired") token.expiresAtMs = world.clock.nowMs() - 1000;
    else token.withdrawn = reason;
  }
  world.changed();
  return { items: tokens.map(describeToken) };
}
