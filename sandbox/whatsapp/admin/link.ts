import { AdminError, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { enterCode } from "../link/code.ts";
import type { CodeOutcome } from "../link/code-link.ts";
import type { Forgery } from "../link/identity.ts";
import { refreshRegistration, scanQr } from "../link/scan.ts";
import type { World } from "../world.ts";
import { describeDevice } from "./describe.ts";

const patienceMs = 30_000;

/** Linking a device: with the phone's camera, or with a typed code. */
export function linkRoutes(world: World): AdminRoute[] {
  const personOf = ({ params }: AdminCall) => world.person(params.needText("phone"));
  return [
    [
      "POST",
      "/people/{phone}/scans",
      (call) => {
        const setup = { text: call.body.needText("qr"), forgery: readForgery(call) };
        return settle(call, scanQr(world, personOf(call), setup));
      },
    ],
    [
      "POST",
      "/people/{phone}/codes",
      (call) => settle(call, enterCode(world, personOf(call), readCode(call))),
    ],
    ["POST", "/refreshes", ({ body }) => refreshRegistration(world, body.needText("qr"))],
  ];
}

/** Resolves when the client has done its part: with the new device, or the error. */
async function settle(call: AdminCall, outcome: Promise<CodeOutcome>): Promise<unknown> {
  const result = await Promise.race([outcome, later(call)]);
  if (result === undefined) throw new AdminError(504, "no_answer", "the client has not answered in time");
  if (result.linked) return { linked: true, ...(describeDevice(result.companion) as object) };
  if (result.reason === "passkey_asked") return { linked: false, waits_for: "passkey" };
  throw new AdminError(422, result.reason, "the device could not be linked");
}

function later({ body, signal }: AdminCall): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), body.integer("timeout_ms") ?? patienceMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

function readForgery({ body }: AdminCall): Forgery | undefined {
  const forge = body.text("forge");
  if (forge === undefined || forge === "account_signature" || forge === "hmac") return forge;
  throw invalid("forge", '"account_signature" or "hmac"');
}

/** As people type it: case and hyphens do not matter. */
function readCode({ body }: AdminCall): string {
  const code = body.needText("code").replaceAll(/[\s-]/g, "").toUpperCase();
  if (code.length !== 8) throw invalid("code", "8 characters");
  return code;
}
