import { messageOfFault, normalPhone } from "../chat/names.ts";
import type { Core, Scope } from "../core.ts";
import { AppError } from "../errors.ts";
import type { LoginRefusal } from "../transport/errors.ts";
import { definitionOf } from "../transport/registry.ts";
import { type Channel, getChannel } from "./channel.ts";
import { askSession, type LoginAnswer } from "./login-requests.ts";

/** Answers a channel that waits for its two-factor password. Resolves when the messenger took it. */
export async function submitPassword(
  core: Core,
  scope: Scope,
  channelId: string,
  request: { readonly transport: string; readonly password: string },
): Promise<void> {
  const channel = await getChannel(core, scope, channelId);
  refuseOtherTransport(channel, request.transport);
  if (channel.reason !== "wait_for_password" || !hasStep(core, channel, "password"))
    throw new AppError("PASSWORD_NOT_EXPECTED");
  const answer = await askSession(core, scope, channelId, { kind: "password", password: request.password });
  if (answer.kind === "refused")
    throw refusal(answer, { not_expected: "PASSWORD_NOT_EXPECTED", wrong: "WRONG_PASSWORD" });
}

/**
 * Links a channel by a code typed on the phone, where the transport has that: only while its QR code is shown. Resolves
 * once the messenger has accepted the request. A code is given at most once a minute; `request.phone` may be left out
 * once the channel has a number.
 */
export async function requestPairingCode(
  core: Core,
  scope: Scope,
  channelId: string,
  request: { readonly transport: string; readonly phone: string | null },
): Promise<{ pairingCode: string; pairingPhone: string }> {
  const channel = await getChannel(core, scope, channelId);
  refuseOtherTransport(channel, request.transport);
  if (!hasStep(core, channel, "pairingCode")) throw new AppError("PAIRING_CODE_NOT_SUPPORTED");
  if (channel.status === "active") throw new AppError("PAIRING_NOT_EXPECTED");
  const phone = pairingPhoneOf(channel, request.phone);
  if (channel.reason !== "qr") throw new AppError("QR_EXPIRED");
  const answer = await askSession(core, scope, channelId, { kind: "pairingCode", phone });
  if (answer.kind === "refused")
    throw refusal(answer, { not_expected: "QR_EXPIRED", wrong: "VALIDATION_ERROR" });
  return { pairingCode: answer.code, pairingPhone: answer.phone };
}

/** The number to be linked: the given one, else the channel's own. Throws VALIDATION_ERROR when there is neither. */
function pairingPhoneOf(channel: Channel, given: string | null): string {
  const phone = normalPhone(given ?? channel.phone);
  if (phone !== null) return phone;
  const message = given === null ? "is required while the channel has no number" : messageOfFault("phone");
  throw new AppError("VALIDATION_ERROR", { data: { fields: [{ field: "pairing_phone", message }] } });
}

function refusal(
  { reason, description }: Extract<LoginAnswer, { kind: "refused" }>,
  codes: {
    readonly not_expected: "PASSWORD_NOT_EXPECTED" | "QR_EXPIRED";
    readonly wrong: "WRONG_PASSWORD" | "VALIDATION_ERROR";
  },
): AppError {
  switch (reason satisfies LoginRefusal) {
    case "not_expected":
      return new AppError(codes.not_expected);
    case "wrong":
      return codes.wrong === "VALIDATION_ERROR"
        ? new AppError(codes.wrong, { data: { fields: [{ field: "pairing_phone", message: description }] } })
        : new AppError(codes.wrong);
    case "too_often":
      return new AppError("TOO_MANY_REQUESTS", { description, retryAfter: 60 });
    case "unavailable":
      return new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
  }
}

function hasStep(core: Core, channel: Channel, step: "password" | "pairingCode"): boolean {
  return definitionOf(core.transports, channel.transport).capabilities.login.includes(step);
}

function refuseOtherTransport(channel: Channel, transport: string): void {
  if (channel.transport === transport) return;
  throw new AppError("WRONG_TRANSPORT", {
    description: `The channel's transport is ${channel.transport}, not ${transport}`,
    data: { channelId: channel.id, transport: channel.transport },
  });
}
