import { randomUUID } from "node:crypto";
import { AdminError, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Account } from "../world/account.ts";
import type { World } from "../world/world.ts";
import { describeSession } from "./describe.ts";
import { endAll } from "./people.ts";

/** The phone's camera, and logins on other devices. */
export function loginRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.account(params.needText("phone"));
  return [
    ["POST", "/people/{phone}/scans", (call) => scan(world, personOf(call), call.body.needText("qr"))],
    ["POST", "/people/{phone}/logins", (call) => logInElsewhere(world, personOf(call), call)],
    ["POST", "/expiries", ({ body }) => expire(world, body.needText("qr"))],
  ];
}

/** This phone confirms the login of a QR code. */
function scan(world: World, account: Account, qr: string): unknown {
  const track = world.tracks.qrByLink(qr);
  if (!track) throw missing("QR code", qr);
  if (world.tracks.isExpired(track)) throw new AdminError(410, "expired_qr", "the QR code has expired");
  if (track.account) throw new AdminError(409, "used_qr", "the QR code was scanned before");
  track.account = account;
  world.note("scanned", account);
  return { scanned: true, phone: account.phone };
}

/** Expires the QR code. */
function expire(world: World, qr: string): unknown {
  const track = world.tracks.qrByLink(qr);
  if (!track) throw missing("QR code", qr);
  track.expiresMs = world.nowMs();
  return { expired: true };
}

/** `{ends_others?}`: another client logs in to the account; with the flag, the platform ends all earlier sessions. */
function logInElsewhere(world: World, account: Account, { body }: AdminCall): unknown {
  if (body.flag("ends_others")) endAll(world, account);
  const session = world.addSession(account, {
    deviceId: randomUUID(),
    client: body.text("client") ?? "Elsewhere",
  });
  return describeSession(session);
}
