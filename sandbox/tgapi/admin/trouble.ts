import { invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { faultRoutes } from "../../trouble/faults.ts";
import type { Fault, FaultKind } from "../rpc/fault.ts";
import type { Forgery } from "../world/forgery.ts";
import type { Settings } from "../world/settings.ts";
import type { World } from "../world/world.ts";
import { describeFault } from "./describe.ts";

const faultKinds: readonly FaultKind[] = ["error", "silence", "drop", "drop_before"];

const forgeries: readonly Forgery[] = [
  "fingerprint",
  "nonce",
  "g_a",
  "answer_hash",
  "dh_prime",
  "new_nonce_hash",
  "msg_key",
  "session_id",
  "server_salt",
  "bad_server_salt",
  "old_msg_id",
  "replay",
];

/** Settings by their name in the admin API. */
const settingNames = {
  token_seconds: "tokenSeconds",
  code_seconds: "codeSeconds",
  session_seconds: "sessionSeconds",
  queued_updates: "queuedUpdates",
  difference_slice: "differenceSlice",
  difference_limit: "differenceLimit",
  file_reference_seconds: "fileReferenceSeconds",
} as const satisfies Record<string, keyof Settings>;

/** Faults, the clock, and settings. */
export function troubleRoutes(world: World): AdminRoute[] {
  return [
    ...faultRoutes(world.faults, readFault, describeFault),
    ["POST", "/forgeries", ({ body }) => forge(world, body)],
    [
      "GET",
      "/forgeries",
      () => ({ items: [...world.forgeriesLeft].map(([kind, left]) => ({ kind, left })) }),
    ],
    ["POST", "/drops", () => dropAll(world)],
    ["GET", "/settings", () => describeSettings(world)],
    ["POST", "/settings", ({ body }) => changeSettings(world, body)],
    ["POST", "/time", ({ body }) => advance(world, body)],
  ];
}

/** `{method?, phone?, to?, kind?, error?, code?, times?, forget?}`; `error` such as `FLOOD_WAIT_30`. */
function readFault(body: AdminCall["body"]): Omit<Fault, "id" | "hits"> {
  const kind = faultKinds.find((each) => each === (body.text("kind") ?? "error"));
  if (!kind) throw invalid("kind", faultKinds.join(", "));
  const errorText = kind === "error" ? body.needText("error") : "";
  const times = body.integer("times") ?? 1;
  return {
    kind,
    phone: body.text("phone"),
    method: body.text("method"),
    to: body.text("to"),
    errorText,
    errorCode: body.integer("code") ?? usualCode(errorText),
    forget: body.flag("forget") ?? false,
    left: times,
    always: times === 0,
  };
}

/** Telegram's usual code for an error text, if the request names none. */
function usualCode(text: string): number {
  if (/_WAIT_\d+$/.test(text)) return 420;
  if (/_MIGRATE_\d+$/.test(text)) return 303;
  if (/^(AUTH_KEY|SESSION|USER_DEACTIVATED)/.test(text)) return text === "AUTH_KEY_DUPLICATED" ? 406 : 401;
  if (/^(RPC_|INTERNAL|TIMEOUT)/.test(text)) return 500;
  return 400;
}

function forge(world: World, body: AdminCall["body"]): unknown {
  const kind = forgeries.find((each) => each === body.needText("kind"));
  if (!kind) throw invalid("kind", forgeries.join(", "));
  const times = body.integer("times") ?? 1;
  world.forge(kind, times);
  return { kind, times };
}

/** Breaks all connections at once, as in an outage. */
function dropAll(world: World): unknown {
  const connections = world.connections.size;
  for (const connection of world.connections) connection.drop();
  return { connections };
}

function changeSettings(world: World, body: AdminCall["body"]): unknown {
  for (const [name, key] of Object.entries(settingNames)) {
    const value = body.integer(name);
    if (value !== undefined && value < 1) throw invalid(name, "at least 1");
    world.settings[key] = value ?? world.settings[key];
  }
  world.settings.cdn = body.flag("cdn") ?? world.settings.cdn;
  world.settings.novelty = body.integer("novelty") ?? world.settings.novelty;
  return describeSettings(world);
}

function describeSettings({ settings }: World): unknown {
  const numbers = Object.entries(settingNames).map(([name, key]) => [name, settings[key]]);
  return { ...Object.fromEntries(numbers), cdn: settings.cdn, novelty: settings.novelty };
}

function advance(world: World, body: AdminCall["body"]): unknown {
  world.clock.advance(body.number("advance_seconds") ?? 0);
  return { now: world.clock.now() };
}
