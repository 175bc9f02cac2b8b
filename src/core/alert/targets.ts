import { fetch } from "undici";
import { newId } from "../../platform/ids.ts";
import { sendMail } from "../../platform/mail.ts";
import { messageOf } from "../../platform/message-of.ts";
import { audit } from "../audit/audit.ts";
import type { AlertSettings, Base } from "../base.ts";
import { signatureHeaders } from "../delivery/request/signature.ts";
import { type Alert, bodyOf, subjectOf } from "./alert-text.ts";

const TIMEOUT_MS = 15_000;

/** Where operators are told of problems. `send` throws if the notification was not accepted. */
export interface AlertTarget {
  readonly name: "webhook" | "email";
  /** Shown in the console; without secrets. */
  readonly address: string;
  send(notification: Notification): Promise<void>;
}

export interface Notification {
  /** New for each attempt: what a repetition contains may have changed. */
  readonly id: string;
  readonly at: Date;
  readonly isTest: boolean;
  readonly installation: string;
  readonly alerts: readonly Alert[];
}

export function targetsOf({ webhook, email }: AlertSettings): AlertTarget[] {
  const targets: AlertTarget[] = [];
  if (webhook !== null)
    targets.push({
      name: "webhook",
      address: new URL(webhook.url).origin,
      send: (notification) => post(webhook, notification),
    });
  if (email !== null)
    targets.push({
      name: "email",
      address: email.to.join(", "),
      send: ({ id, alerts, isTest }) =>
        sendMail(email.smtpUrl, {
          from: email.from,
          to: email.to,
          messageId: `<${id}@trunkline>`,
          subject: isTest ? "Trunkline: a test of alerts" : subjectOf(alerts),
          text: isTest ? "Alerts of this installation arrive here.\n" : bodyOf(alerts),
          requireTls: email.requireTls,
          timeoutMs: TIMEOUT_MS,
        }),
    });
  return targets;
}

/** `whsec_…`, the format of Standard Webhooks' libraries, is base64; any other secret is text. */
function keyOf(secret: string): Buffer {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret) ?? [];
  return base64 === undefined ? Buffer.from(secret) : Buffer.from(base64, "base64");
}

/** Signed like all webhooks. The address is the operator's own: it may be in a private network. */
async function post(
  { url, secret }: NonNullable<AlertSettings["webhook"]>,
  { id, at, isTest, installation, alerts }: Notification,
): Promise<void> {
  const body = JSON.stringify({ type: "alerts", at: at.toISOString(), installation, test: isTest, alerts });
  const response = await fetch(url, {
    method: "POST",
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      "content-type": "application/json",
      ...signatureHeaders([keyOf(secret)], id, at, body),
    },
  }).catch((error: unknown) => {
    const { cause } = error as { readonly cause?: unknown };
    throw new Error(cause === undefined ? messageOf(error) : messageOf(cause));
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
}

/** Sends a test to each target, recorded before. Rejects only if that fails. */
export async function testTargets(
  { db, settings, clock }: Pick<Base, "db" | "settings" | "clock">,
  targets: readonly AlertTarget[],
): Promise<{ readonly target: AlertTarget["name"]; readonly failure: string | null }[]> {
  const [installation, at] = [settings.publicUrl, clock.now()];
  const details = { targets: targets.map(({ name }) => name) };
  await audit(db, { accountId: null, action: "alert.test", details });
  return Promise.all(
    targets.map(async ({ name, send }) => {
      const failure = await send({ id: newId(), at, isTest: true, installation, alerts: [] }).then(
        () => null,
        (error: unknown) => messageOf(error),
      );
      return { target: name, failure };
    }),
  );
}
