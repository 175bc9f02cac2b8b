import { Type } from "typebox";
import type { LinkView } from "../../core/channel/link/link-view.ts";
import { restrictionItem } from "../../core/channel-restrictions.ts";
import type { Core } from "../../core/core.ts";
import { offersSignIn } from "../../core/sign-in/sign-in-visit.ts";
import {
  LOGIN_STEPS,
  type LoginStepKind,
  PASSKEY_PROBLEMS,
  type PasskeyProblem,
} from "../../core/transport/login.ts";
import type { RegisteredTransport } from "../../core/transport/registry.ts";
import { passkeyFields, passkeyShape } from "../schema/passkey.ts";
import { nullableString, nullableTime, uuidText } from "../schema/shapes.ts";
import { channelShape, historyFields, historyShape } from "../v2/channels/channel-shape.ts";

const { status, reason, restrictions } = channelShape.properties;

/** A channel as shown on the connect page. */
export const linkShape = Type.Object({
  channel_id: uuidText(),
  transport: Type.String(),
  status,
  reason,
  name: Type.String(),
  phone: Type.String(),
  username: Type.String(),
  url: {
    ...nullableString,
    description: "The invitation that the person follows in the messenger; null if the transport has none",
  },
  phone_unavailable: Type.Boolean({
    description:
      "Whether the phone has been offline for so long that the messenger will soon unlink the channel",
  }),
  restrictions,
  qr: { ...nullableString, description: "The code to scan, as a data URI" },
  qr_seconds: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "Seconds until the code is replaced",
  }),
  password_hint: { ...nullableString, description: "The password hint that the account's owner has set" },
  history: Type.Union([historyShape, Type.Null()], {
    description: "The import of earlier messages; null if none was requested, or the channel is not active",
  }),
  passkey: Type.Union([passkeyShape, Type.Null()], {
    description: "What the person needs for the step with the passkey",
  }),
  passkey_problem: Type.Unsafe<PasskeyProblem | null>({
    type: ["string", "null"],
    enum: [...PASSKEY_PROBLEMS, null],
    description: "Why the linking with a passkey before failed",
  }),
  received_at: {
    ...nullableTime,
    description: "When the first message of a client arrived since the page was opened; null: none has",
  },
  answered_at: {
    ...nullableTime,
    description: "When the first answer in that chat was sent; null: none was",
  },
  waits: Type.Boolean({
    description:
      "The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself",
  }),
  version: Type.String({ description: "Differs whenever another field differs; see `known`" }),
});

/** A channel's address of our own page is left out: it would outlast the session. */
export function linkFields(core: Pick<Core, "transports">, view: LinkView) {
  const { channel, qr, qrSeconds, passwordHint, history, trial, version } = view;
  const { id, transport, status, reason, name, phone, username } = channel;
  const isInvited = core.transports.get(transport)?.definition.connect === "invitation";
  return {
    channel_id: id,
    transport,
    status,
    reason,
    name,
    phone,
    username,
    url: isInvited ? channel.url : null,
    phone_unavailable: channel.phoneUnavailable,
    restrictions: channel.restrictions.map(restrictionItem),
    qr,
    qr_seconds: qrSeconds,
    password_hint: passwordHint,
    history: history === null ? null : historyFields(history),
    passkey: view.passkey === null && view.compareCode === null ? null : passkeyFields(view),
    passkey_problem: view.passkeyProblem,
    received_at: trial.receivedAt?.toISOString() ?? null,
    answered_at: trial.answeredAt?.toISOString() ?? null,
    waits: view.waits,
    version,
  };
}

const field = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  pattern: Type.String({ description: "A regular expression; empty: any text" }),
  required: Type.Boolean(),
  secret: Type.Boolean(),
});

/** A transport that can be connected, from its definition. */
export const transportShape = Type.Object({
  transport: Type.String(),
  label: Type.String(),
  connect: Type.Unsafe<RegisteredTransport["definition"]["connect"]>({
    type: "string",
    enum: ["credentials", "qr", "redirect", "page", "invitation"],
  }),
  sign_in: Type.Boolean({ description: "Whether a person can sign in at the messenger" }),
  login: Type.Array(Type.Unsafe<LoginStepKind>({ type: "string", enum: Object.keys(LOGIN_STEPS) })),
  history: Type.Boolean({ description: "Whether earlier messages can be imported" }),
  fields: Type.Array(field),
});

export function transportFields(transport: RegisteredTransport) {
  const { id, label, connect, credentials, capabilities } = transport.definition;
  const required = credentials.required ?? [];
  return {
    transport: id,
    label,
    connect,
    sign_in: offersSignIn(transport),
    login: [...capabilities.login],
    history: capabilities.history === true,
    fields: Object.entries<FieldSchema>(credentials.properties).map(([name, schema]) => ({
      name,
      title: schema.title ?? name,
      description: schema.description ?? "",
      pattern: schema.pattern ?? "",
      required: required.includes(name),
      secret: schema.sensitive === true,
    })),
  };
}

interface FieldSchema {
  readonly title?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly sensitive?: boolean;
}
