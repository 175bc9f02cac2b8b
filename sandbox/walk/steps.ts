import type { Step } from "./contract.ts";
import type { Crm, Expected } from "./crm.ts";
import type { Stage } from "./stage.ts";

/** A step that sends a message and waits until the messenger has it. */
export function sendStep(crm: Crm, name: string, content: () => object, until: Expected): Step {
  return { name: `send ${name}`, run: async () => crm.become(await crm.send(content()), until) };
}

/** Steps that send a text and a file of each kind. */
export function sendSteps({ fileUrl }: Pick<Stage, "fileUrl">, crm: Crm, until: Expected): Step[] {
  const files = [
    ["an image", "image/jpeg"],
    ["a video", "video/mp4"],
    ["audio", "audio/mpeg"],
    ["a document", "application/pdf"],
  ] as const;
  return [
    sendStep(crm, "text", () => ({ text: "Hello 👋" }), until),
    ...files.map(([name, mimetype]) =>
      sendStep(crm, name, () => ({ attachment: { url: fileUrl(mimetype), mimetype } }), until),
    ),
  ];
}

/** A step in which the person acts and the CRM receives a message. */
export function receiveStep(
  crm: Crm,
  name: string,
  { act, fields }: { act: () => Promise<unknown>; fields: Readonly<Record<string, unknown>> },
): Step {
  return {
    name: `receive ${name}`,
    run: async () => {
      await act();
      const { type, text, contentUri } = await crm.hears(fields);
      const [firstLine] = String(text ?? "").split("\n");
      return [type, firstLine, contentUri === undefined ? "" : "with a file"].filter(Boolean).join(", ");
    },
  };
}

/** What a person writes, in the emulator's format, and the type that the CRM receives. */
export type Kind = readonly [name: string, message: object, type: string];

/** Steps in which the person writes a message of each kind. */
export function receiveSteps(
  crm: Crm,
  kinds: readonly Kind[],
  write: (message: object) => Promise<unknown>,
): Step[] {
  return kinds.map(([name, message, type]) =>
    receiveStep(crm, name, {
      act: () => write(message),
      fields: { type, isEcho: false, status: "inbound" },
    }),
  );
}

/** A step in which a send fails with an error code of the interface. */
export function errorStep(crm: Crm, code: string, { arrange, send }: ErrorCase): Step {
  return {
    name: `error ${code}`,
    run: async () => {
      await arrange?.();
      return crm.become(await send(), "error", { code });
    },
  };
}

/** A step in which numbers are looked up; `add` creates the account of the first one. */
export function phoneCheckStep(
  crm: Crm,
  { present, absent }: { readonly present: string; readonly absent: string },
  add: () => Promise<unknown>,
): Step {
  return {
    name: "check which numbers have an account",
    run: async () => {
      await add();
      const results = await crm.checkPhones([present, absent]);
      if (results.get(present) !== true || results.get(absent) !== false)
        throw new Error(`wrong: ${JSON.stringify([...results])}`);
      const [known] = await crm.checkPhones([present]);
      return `${known?.[0]} exists, ${absent} does not`;
    },
  };
}

/** The refusal before has restricted the account, and the messenger did not say until when. */
export function restrictedStep(crm: Crm, kind: string): Step {
  return {
    name: `the account is restricted (${kind})`,
    run: async () => {
      const until = await crm.restricted(kind);
      if (until !== "open") throw new Error(`an end that nobody stated: ${until}`);
      return until;
    },
  };
}

/** A step in which the messenger restricts the account, reports the end in advance, and ends it earlier. */
export function restrictionStep(
  crm: Crm,
  kind: string,
  { begin, end }: { readonly begin: () => Promise<unknown>; readonly end?: () => Promise<unknown> },
): Step {
  return {
    name: `the account is restricted (${kind})`,
    run: async () => {
      await begin();
      const until = await crm.restricted(kind);
      if (Number.isNaN(Date.parse(until))) throw new Error(`no end: ${until}`);
      if (end === undefined) return until;
      await end();
      return `until ${until}, ${await crm.restricted(kind, false)}`;
    },
  };
}

export interface ErrorCase {
  /** Makes the messenger reject; omitted if the message itself is the reason. */
  readonly arrange?: () => Promise<unknown>;
  readonly send: () => Promise<string>;
}

export interface KillCase {
  /** Makes the next send hang until its connection is closed. */
  hang(): Promise<unknown>;
  /** How often the text has arrived. */
  arrivals(text: string): Promise<number>;
  /** Statuses that the messenger may report before the message is reported as unknown. */
  readonly news: readonly string[];
  readonly until: Expected;
}

/**
 * The step for messengers that cannot deduplicate: a pending send is never repeated. It is reported as unknown,
 * unless the messenger's own report comes first.
 */
export function killStep(stage: Stage, crm: Crm, { hang, arrivals, news, until }: KillCase): Step {
  const text = "Sent once at most";
  return {
    name: "the node is killed in the middle of a send",
    run: async () => {
      const id = await crashInSend(stage, hang, () => crm.send({ text }));
      const outcome = await crm.outcome(id);
      await crm.become(await crm.send({ text: "After the crash" }), until);
      const times = await arrivals(text);
      const isTrue = outcome === "UNKNOWN_ERROR" ? times <= 1 : times === 1 && news.includes(outcome);
      if (!isTrue) throw new Error(`it was told as ${outcome} and arrived ${times} times`);
      return `${outcome}, arrived ${times === 0 ? "never" : "once"}`;
    },
  };
}

/** Kills the node while a send hangs at the messenger, and starts another. Returns the result of `send`. */
export async function crashInSend(
  stage: Stage,
  hang: () => Promise<unknown>,
  send: () => Promise<string>,
): Promise<string> {
  await stage.admin("DELETE", "/faults");
  await hang();
  const id = await send();
  await stage.until("the send hangs", async () => {
    const { items } = await stage.admin<{ items: { hits: number }[] }>("GET", "/faults");
    return items.some(({ hits }) => hits > 0);
  });
  await stage.service.kill();
  await stage.admin("DELETE", "/faults");
  stage.service = await stage.startNode();
  return id;
}

/** The step in which a channel moves to a new node. */
export function moveStep(stage: Stage, crm: Crm, until: Expected, patienceMs?: number): Step {
  return {
    name: "the channel moves to another node",
    run: async () => {
      const next = await stage.startNode();
      await stage.service.stop();
      stage.service = next;
      const id = await crm.send({ text: "From the other node" });
      return crm.become(id, until, patienceMs === undefined ? {} : { patienceMs });
    },
  };
}

/** The last step. `gone` resolves when the messenger shows that the channel has ended. */
export function deleteStep(stage: Stage, crm: Crm, gone?: () => Promise<void>): Step {
  return {
    name: "delete the channel",
    run: async () => {
      const { status } = await stage.api("DELETE", `/v2/channels/${crm.channelId}`);
      if (status !== 200) throw new Error(String(status));
      await gone?.();
      return String(status);
    },
  };
}
