import { AdminError, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { pushHistory } from "../chat/history.ts";
import { unlink } from "../link/unlink.ts";
import { replace } from "../login.ts";
import { tellLow } from "../person/bundle.ts";
import type { Companion } from "../person/person.ts";
import { node } from "../wire/node.ts";
import type { World } from "../world.ts";
import { describeDevice } from "./describe.ts";

/** Linked devices, and disturbing their connections. `{device}` may be `any`: the newest. */
export function deviceRoutes(world: World): AdminRoute[] {
  const act =
    (work: (companion: Companion, call: AdminCall) => void) =>
    (call: AdminCall): unknown => {
      const companion = findDevice(world, call);
      work(companion, call);
      return describeDevice(companion);
    };
  const device = "/people/{phone}/devices/{device}";
  return [
    ["GET", "/people/{phone}/devices", ({ params }) => listDevices(world, params.needText("phone"))],
    ["GET", device, act(() => undefined)],
    ["DELETE", device, act((companion) => unlink(world, companion, "by_phone"))],
    ["POST", `${device}/replacements`, act((companion) => replace(world, needOnline(companion)))],
    ["POST", `${device}/drops`, act((companion) => needOnline(companion).connection?.drop())],
    ["POST", `${device}/freezes`, act((companion) => needOnline(companion).connection?.freeze())],
    ["POST", `${device}/thaws`, act((companion) => needOnline(companion).connection?.thaw())],
    ["POST", `${device}/errors`, act(endWithError)],
    ["POST", `${device}/history`, act((companion) => pushHistory(world, companion))],
    ["POST", `${device}/pre_keys`, act((companion, call) => keepPreKeys(world, companion, call))],
  ];
}

function listDevices(world: World, phone: string): unknown {
  return { items: [...world.person(phone).companions.values()].map(describeDevice) };
}

function findDevice(world: World, { params }: AdminCall): Companion {
  const { companions, phone } = world.person(params.needText("phone"));
  const name = params.needText("device");
  const companion =
    name === "any" ? [...companions.values()].at(-1) : companions.get(params.needInteger("device"));
  if (!companion) throw missing(`linked device of ${phone}`, name);
  return companion;
}

function needOnline(companion: Companion): Companion {
  if (companion.isOnline) return companion;
  throw new AdminError(409, "offline", `device ${companion.jid} is not connected`);
}

/** `{code}`: a stream error such as 503, which ends the connection; `{reason}`: a failure such as 403. */
function endWithError(companion: Companion, { body }: AdminCall): void {
  const code = body.integer("code");
  const reason = body.integer("reason");
  const last =
    reason !== undefined
      ? node("failure", { reason: String(reason), location: "sandbox" })
      : code !== undefined && node("stream:error", { code: String(code) });
  if (!last) throw invalid("code or reason", "a number such as 503");
  needOnline(companion).connection?.end(last);
}

/** `{keep}`: uses up all but this many of its one-time keys; the device is told how many are left. */
function keepPreKeys(world: World, companion: Companion, { body }: AdminCall): void {
  const keep = body.needInteger("keep");
  for (const id of [...companion.preKeys.keys()].slice(keep)) companion.preKeys.delete(id);
  tellLow(world, companion);
  world.changed();
}
