import { readQr } from "../qr-reader.ts";
import type { Step } from "./contract.ts";
import type { Crm } from "./crm.ts";
import type { Stage } from "./stage.ts";
import { receiveStep } from "./steps.ts";
import type { Told } from "./webhooks.ts";

/** Steps shared by the walks of personal accounts, which are linked with a QR code and a phone. */

export const SHOP = "79990000001";
export const ANN = "79990000002";
export const OTHER_PHONE = "79990000003";
export const STRANGER = "79990000009";
/** Numbers that are only looked up. */
export const CHECKED = { present: "79990000010", absent: "70000000002" } as const;
export const PASSWORD = "correct horse";
export const HINT = "and a battery";
/** Dead nodes have to be detected first, and connections are reopened after a delay. */
export const LONG_MS = 90_000;
export const MISSED = 5_000;

/** A message as displayed on the other person's phone. */
export interface Shown {
  readonly text?: string;
}

/** Performs an action on a person's phone. */
export const person = <T = unknown>(
  stage: Stage,
  phone: string,
  action: string,
  body: object = {},
): Promise<T> => stage.admin<T>("POST", `/people/${phone}/${action}`, body);

export const annWrites = <T = unknown>(stage: Stage, message: object): Promise<T> =>
  person<T>(stage, ANN, "messages", { to: SHOP, ...message });

/** The dialog with the channel, as displayed on Ann's phone. */
export async function conversation<T extends Shown = Shown>(stage: Stage): Promise<readonly T[]> {
  return (await stage.admin<{ items: T[] }>("GET", `/people/${ANN}/chats/${SHOP}/messages`)).items;
}

export async function seenByAnn(stage: Stage, text: string): Promise<string> {
  await stage.until(`the phone shows ${text}`, async () =>
    (await conversation(stage)).some((message) => message.text === text),
  );
  return "seen on the phone";
}

/** Throws unless the text arrived exactly once after the first `before` messages. */
export async function arrivedOnce(stage: Stage, text: string, before = 0): Promise<string> {
  const items = (await conversation(stage)).slice(before);
  const times = items.filter((message) => message.text === text).length;
  if (times !== 1) throw new Error(`it arrived ${times} times`);
  return "arrived once";
}

/** The text of the code in the next webhook. */
export async function nextCode(stage: Stage, { channelId }: Crm): Promise<string> {
  const { item } = await stage.told(
    "a QR code",
    ({ kind, item }) => kind === "channel.qr_update" && item["channel_id"] === channelId,
  );
  return readQr(String(item["qr_code"]));
}

/** The phone scans the code of the next webhook, or a later one if that has expired by then. */
export async function scan(stage: Stage, crm: Crm, phone: string): Promise<void> {
  for (;;)
    try {
      await person(stage, phone, "scans", { qr: await nextCode(stage, crm) });
      return;
    } catch (error) {
      if (!String(error).includes("expired_qr")) throw error;
    }
}

export async function reinit(stage: Stage, crm: Crm): Promise<void> {
  crm.forgetStatus();
  const path = `/v2/channels/${crm.channelId}/reinit`;
  const { status, json } = await stage.api("POST", path, { credentials: {} });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
}

export async function linkAgain(stage: Stage, crm: Crm): Promise<string> {
  await reinit(stage, crm);
  await scan(stage, crm, SHOP);
  return crm.status("active", null);
}

/** The service's response to a password or a code. */
export async function giveSecret(
  stage: Stage,
  crm: Crm,
  { transport, secret }: { readonly transport: string; readonly secret: string },
): Promise<string> {
  const body = { transport, two_factor_code: secret };
  const { status, json } = await stage.api("POST", `/v2/channels/${crm.channelId}/auth/2fa`, body);
  const { error, description } = json as { error?: string; description?: string };
  return error === undefined ? String(status) : `${status} ${error}: ${description}`;
}

/** The messenger requires `PASSWORD`, with `HINT`. `remove` removes it again, for the following logins. */
export function passwordSteps(
  stage: Stage,
  crm: Crm,
  { transport, remove }: { readonly transport: string; readonly remove: () => Promise<unknown> },
): Step[] {
  const isAwaited = ({ kind, item }: Told): boolean =>
    kind === "channel.status_update" &&
    item["channel_id"] === crm.channelId &&
    item["reason"] === "wait_for_password";
  return [
    {
      name: "the password is asked for, with its hint",
      run: async () => {
        const { item } = await stage.told("a password is awaited", isAwaited);
        if (item["password_hint"] !== HINT) throw new Error(JSON.stringify(item));
        return HINT;
      },
    },
    {
      name: "a wrong password",
      run: async () => {
        const answer = await giveSecret(stage, crm, { transport, secret: "guess" });
        if (!answer.startsWith("400 WRONG_PASSWORD") || !answer.includes(HINT)) throw new Error(answer);
        return answer;
      },
    },
    {
      name: "the right one",
      run: async () => {
        const answer = await giveSecret(stage, crm, { transport, secret: PASSWORD });
        if (answer !== "200") throw new Error(answer);
        await remove();
        return crm.status("active", null);
      },
    },
  ];
}

export function echoStep(stage: Stage, crm: Crm): Step {
  return receiveStep(crm, "an echo of the phone", {
    act: () => person(stage, SHOP, "messages", { to: ANN, text: "From the phone" }),
    fields: { text: "From the phone", isEcho: true },
  });
}

/** Ann deletes the message whose id an earlier step has stored in `theirs`. */
export function deletedStep(stage: Stage, crm: Crm, theirs: { readonly [field: string]: unknown }): Step {
  return {
    name: "the customer deletes",
    run: async () => {
      await person(stage, ANN, "deletions", { chat: SHOP, ...theirs });
      await crm.hears({ isDeleted: true });
      return "told";
    },
  };
}

/**
 * Resolves when no message of the conversation is waiting. A message may be reported as sent while its chat still waits
 * for the next attempt, and the next message waits behind it.
 */
async function untilSent(crm: Crm): Promise<void> {
  await crm.become(await crm.send({ text: "Is everything there?" }), "sent", { patienceMs: LONG_MS });
}

/**
 * The node dies after a send has reached the messenger and before the response arrives. `hang` causes this for the
 * next send, and `release` ends it. The messenger deduplicates by id, so the message arrives once.
 */
export function killedStep(
  stage: Stage,
  crm: Crm,
  { hang, release }: { readonly hang: () => Promise<unknown>; readonly release?: () => Promise<unknown> },
): Step {
  const text = "Over a crash";
  return {
    name: "the node is killed in the middle of a send",
    run: async () => {
      await untilSent(crm);
      await hang();
      const before = (await conversation(stage)).length;
      const id = await crm.send({ text });
      await seenByAnn(stage, text);
      await stage.service.kill();
      await annWrites(stage, { text: "While you were away" });
      await release?.();
      stage.service = await stage.startNode();
      await crm.become(id, "sent", { patienceMs: LONG_MS });
      await crm.hears({ text: "While you were away" });
      if (crm.hasHeard({ text })) throw new Error("it was told as an echo");
      return arrivedOnce(stage, text, before);
    },
  };
}

/** `write` lets Ann write `Missed 1` to `Missed <MISSED>` while no node runs. */
export function offlineHourStep(stage: Stage, write: () => Promise<unknown>): Step {
  return {
    name: `an hour offline with ${MISSED} messages`,
    run: async () => {
      await stage.service.stop();
      await write();
      await stage.admin("POST", "/time", { advance_seconds: 3_600 });
      stage.service = await stage.startNode();
      return hearsInOrder(stage, MISSED);
    },
  };
}

/** All missed messages arrive, each once, in the order of writing. */
async function hearsInOrder(stage: Stage, count: number): Promise<string> {
  const isMissed = ({ kind, item }: Told): boolean =>
    kind === "messages" && String(item["text"]).startsWith("Missed ");
  for (let number = 1; number <= count; number++) {
    const { item } = await stage.told(`missed message ${number}`, isMissed, LONG_MS);
    if (item["text"] !== `Missed ${number}`) throw new Error(`${item["text"]} came as number ${number}`);
  }
  if (stage.wasTold(isMissed)) throw new Error("something was told twice");
  return "all of them, in order, once";
}

/** Another person's phone scans the code of a restart. */
export function foreignStep(stage: Stage, crm: Crm, name: string): Step {
  return {
    name,
    run: async () => {
      await reinit(stage, crm);
      await scan(stage, crm, OTHER_PHONE);
      return crm.status("disabled", "foreignphone");
    },
  };
}

/** A voice note, in addition to the files of `sendSteps`. */
export function voiceContent({ fileUrl }: Pick<Stage, "fileUrl">): () => object {
  return () => ({ attachment: { url: fileUrl("audio/ogg"), mimetype: "audio/ogg" } });
}
