import { AdminError, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { faultRoutes } from "../../trouble/faults.ts";
import { downloadFault, type Fault, interruptions } from "../fault.ts";
import { unlink } from "../link/unlink.ts";
import { loginFault } from "../login.ts";
import type { Person } from "../person/person.ts";
import type { World } from "../world.ts";
import { describeFault } from "./describe.ts";

/** Faults, the clock, and settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ...faultRoutes(world.faults, readFault, describeFault),
    ["POST", "/forgeries", ({ body }) => forge(world, body)],
    ["GET", "/settings", () => describeSettings(world)],
    ["POST", "/settings", ({ body }) => changeSettings(world, body)],
    ["POST", "/time", ({ body }) => advance(world, body)],
  ];
}

/**
 * For messages `{phone?, to?}`, for queries `{phone?, xmlns, what?}`, for logins `{phone?, login: true}`. With
 * `error_code` they are refused; without it they get no response. For files `{download}`: how it is interrupted.
 */
function readFault(body: AdminCall["body"]): Omit<Fault, "id" | "hits"> {
  const isLogin = body.flag("login") === true;
  const errorCode = body.integer("error_code");
  if (isLogin && errorCode === undefined) throw invalid("error_code", "a number such as 403");
  const times = body.integer("times") ?? 1;
  return {
    phone: body.text("phone"),
    to: body.text("to"),
    xmlns: isLogin ? loginFault : body.text("xmlns"),
    what: body.text("what"),
    ...readDownload(body),
    errorCode,
    left: times,
    always: times === 0,
  };
}

function readDownload(body: AdminCall["body"]): Partial<Pick<Fault, "xmlns" | "what">> {
  const what = body.text("download");
  if (what === undefined) return {};
  if (!interruptions.some((each) => each === what)) throw invalid("download", interruptions.join(" or "));
  return { xmlns: downloadFault, what };
}

/** `{kind: "root"}`: the certificate of the next connections; `{kind: "bundle", phone}`: the next key bundles of a phone. */
function forge(world: World, body: AdminCall["body"]): unknown {
  const times = body.integer("times") ?? 1;
  const kind = body.needText("kind");
  if (kind === "root") world.forgedRoots = times;
  else if (kind === "bundle") world.person(body.needText("phone")).forgedBundles = times;
  else throw new AdminError(400, "invalid_field", 'kind must be "root" or "bundle"');
  return { kind, times };
}

function changeSettings(world: World, body: AdminCall["body"]): unknown {
  const history = body.text("history") ?? world.settings.history;
  if (history !== "auto" && history !== "manual") throw invalid("history", '"auto" or "manual"');
  const historyChunk = body.integer("history_chunk") ?? world.settings.historyChunk;
  const mediaMaxBytes = body.integer("media_max_bytes") ?? world.settings.mediaMaxBytes;
  const novelty = body.integer("novelty") ?? world.settings.novelty;
  const passkeyOptions = body.text("passkey_options") ?? world.settings.passkeyOptions;
  if (passkeyOptions !== "whole" && passkeyOptions !== "malformed")
    throw invalid("passkey_options", '"whole" or "malformed"');
  const passkeyPhone = body.text("passkey_phone") ?? world.settings.passkeyPhone;
  if (passkeyPhone !== "auto" && passkeyPhone !== "held") throw invalid("passkey_phone", '"auto" or "held"');
  const passkeyMs = body.integer("passkey_ms") ?? world.settings.passkeyMs;
  world.settings = { history, historyChunk, mediaMaxBytes, novelty, passkeyOptions, passkeyPhone, passkeyMs };
  return describeSettings(world);
}

function describeSettings({ settings }: World): unknown {
  const { history, historyChunk, mediaMaxBytes, novelty, passkeyOptions, passkeyPhone, passkeyMs } = settings;
  return {
    history,
    history_chunk: historyChunk,
    media_max_bytes: mediaMaxBytes,
    novelty,
    passkey_options: passkeyOptions,
    passkey_phone: passkeyPhone,
    passkey_ms: passkeyMs,
  };
}

function advance(world: World, body: AdminCall["body"]): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  for (const person of world.people.values()) unlinkDevicesOfAbsent(world, person);
  return { now: world.clock.now() };
}

/** https://faq.whatsapp.com/378279804439436: linked devices are logged out if the phone was not used for 14 days. */
const longestAbsenceMs = 14 * 24 * 60 * 60 * 1000;

function unlinkDevicesOfAbsent(world: World, { absentSinceMs, companions }: Person): void {
  if (absentSinceMs === undefined || world.nowMs() - absentSinceMs <= longestAbsenceMs) return;
  for (const companion of companions.values()) unlink(world, companion, "by_phone");
}
