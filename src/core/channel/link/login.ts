import type { Base } from "../../base.ts";
import { invalidNameMessage, normalPhone } from "../../chat/names.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import type { LoginRefusal } from "../../transport/errors.ts";
import {
  LOGIN_STEPS,
  type LoginReply,
  type LoginStep,
  type LoginStepKind,
  MAX_PASSKEY_BYTES,
  type PasskeyFault,
} from "../../transport/login.ts";
import { definitionOf } from "../../transport/registry.ts";
import { type Channel, getChannel } from "../channel.ts";
import { askSession } from "../session-requests.ts";

/** What the channel's node answers to a step, which is the body of a session request. */
export type LoginAnswer =
  | ({ readonly kind: "done" } & LoginReply)
  | {
      readonly kind: "refused";
      readonly reason: LoginRefusal;
      readonly description: string;
      readonly fault?: PasskeyFault | undefined;
    };

/** The interface's errors if a step is not expected, and the name of the invalid field; null: a wrong password. */
const STEP_ERRORS = {
  password: { notExpected: "PASSWORD_NOT_EXPECTED", field: null },
  code: { notExpected: "PASSWORD_NOT_EXPECTED", field: null },
  passkey: { notExpected: "PASSKEY_NOT_EXPECTED", field: null },
  pairingCode: { notExpected: "QR_EXPIRED", field: "pairing_phone" },
  phone: { notExpected: "QR_EXPIRED", field: "pairing_phone" },
} as const satisfies Readonly<Record<LoginStepKind, object>>;

/**
 * Performs a login step. Resolves when the messenger has accepted it. Throws AppError if the channel does not expect
 * the step, or the messenger rejects it.
 */
async function takeLoginStep(
  core: Base,
  scope: Scope,
  channel: Channel,
  step: LoginStep,
): Promise<LoginReply> {
  const { notExpected } = STEP_ERRORS[step.kind];
  const isAwaited = channel.reason === LOGIN_STEPS[step.kind].awaitedIn;
  if (!isAwaited || !hasStep(core, channel, step.kind)) throw new AppError(notExpected);
  const answer = (await askSession(core, scope, channel.id, {
    kind: "login",
    body: step,
  })) as LoginAnswer | null;
  if (answer === null) throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
  if (answer.kind === "refused") throw refusal(answer, step.kind);
  return answer;
}

/** Submits the two-factor password, or the code that the messenger has sent. */
export async function submitSecret(
  core: Base,
  scope: Scope,
  channelId: string,
  request: { readonly transport: string; readonly secret: string },
): Promise<void> {
  const channel = await getChannel(core, scope, channelId);
  refuseOtherTransport(channel, request.transport);
  const kind = channel.reason === LOGIN_STEPS.code.awaitedIn ? "code" : "password";
  await takeLoginStep(core, scope, channel, { kind, value: request.secret });
}

/**
 * Links a channel by number while its QR code is shown: with a code to enter on the phone, or with one that the
 * messenger sends, for `submitSecret`; then the response contains no code. Resolves when the messenger has accepted
 * the request. At most one code a minute. `request.phone` is optional once the channel has a number.
 */
export async function requestPairingCode(
  core: Base,
  scope: Scope,
  channelId: string,
  request: { readonly transport: string; readonly phone: string | null },
): Promise<{ pairingCode: string; pairingPhone: string }> {
  const channel = await getChannel(core, scope, channelId);
  refuseOtherTransport(channel, request.transport);
  const kind = NUMBER_STEPS.find((step) => hasStep(core, channel, step));
  if (kind === undefined) throw new AppError("PAIRING_CODE_NOT_SUPPORTED");
  if (channel.status === "active") throw new AppError("PAIRING_NOT_EXPECTED");
  const phone = pairingPhoneOf(channel, request.phone);
  const answer = await takeLoginStep(core, scope, channel, { kind, value: phone });
  return { pairingCode: answer.code ?? "", pairingPhone: answer.phone ?? phone };
}

/**
 * Submits the answer of the account's passkey (`PublicKeyCredential.toJSON()`). Resolves when the messenger has accepted
 * it. Throws PASSKEY_REFUSED with a `PasskeyFault` in its data; after `refused` the linking starts over.
 */
export async function submitPasskey(
  core: Base,
  scope: Scope,
  channelId: string,
  request: { readonly transport: string; readonly answer: object },
): Promise<void> {
  const channel = await getChannel(core, scope, channelId);
  refuseOtherTransport(channel, request.transport);
  const value = JSON.stringify(request.answer);
  if (Buffer.byteLength(value) > MAX_PASSKEY_BYTES)
    throw new AppError("PASSKEY_REFUSED", { data: { reason: "malformed" satisfies PasskeyFault } });
  await takeLoginStep(core, scope, channel, { kind: "passkey", value });
}

/** Steps that start with a number; a transport has at most one of them. */
const NUMBER_STEPS = ["pairingCode", "phone"] as const;

/** The number to link: the given one, else the channel's own. Throws VALIDATION_ERROR if there is neither. */
function pairingPhoneOf(channel: Channel, given: string | null): string {
  const phone = normalPhone(given ?? channel.phone);
  if (phone !== null) return phone;
  const message =
    given === null ? "is required while the channel has no number" : invalidNameMessage("phone");
  throw new AppError("VALIDATION_ERROR", { data: { fields: [{ field: "pairing_phone", message }] } });
}

function refusal(
  { reason, description, fault }: Extract<LoginAnswer, { kind: "refused" }>,
  kind: LoginStepKind,
): AppError {
  const { notExpected, field } = STEP_ERRORS[kind];
  switch (reason satisfies LoginRefusal) {
    case "not_expected":
      return new AppError(notExpected);
    case "wrong":
      if (kind === "passkey")
        return new AppError("PASSKEY_REFUSED", { description, data: { reason: fault ?? "refused" } });
      return field === null
        ? new AppError("WRONG_PASSWORD", { description })
        : new AppError("VALIDATION_ERROR", { data: { fields: [{ field, message: description }] } });
    case "too_often":
      return new AppError("TOO_MANY_REQUESTS", { description, retryAfter: 60 });
    case "unavailable":
      return new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
  }
}

/**
 * Requests a code for a phone number, as an alternative to the QR code. Resolves when the messenger has accepted the
 * number. Throws the same AppErrors as the other steps.
 */
export async function requestCode(core: Base, scope: Scope, channelId: string, given: string): Promise<void> {
  const channel = await getChannel(core, scope, channelId);
  const value = normalPhone(given);
  if (value === null)
    throw new AppError("VALIDATION_ERROR", {
      data: { fields: [{ field: "phone", message: invalidNameMessage("phone") }] },
    });
  await takeLoginStep(core, scope, channel, { kind: "phone", value });
}

function hasStep(core: Base, channel: Channel, step: LoginStepKind): boolean {
  return definitionOf(core.transports, channel.transport).capabilities.login.includes(step);
}

function refuseOtherTransport(channel: Channel, transport: string): void {
  if (channel.transport === transport) return;
  throw new AppError("WRONG_TRANSPORT", {
    description: `The channel's transport is ${channel.transport}, not ${transport}`,
    data: { channelId: channel.id, transport: channel.transport },
  });
}
