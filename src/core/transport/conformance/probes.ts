import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChannelLink, MarkedChat, OutboundMessage, Session, Transport } from "../connector.ts";
import { TransportError } from "../errors.ts";
import type { FileRef, MessageRef, TransportEvent } from "../events.ts";
import type { GroupPersonName } from "../groups.ts";
import type { Template } from "../template.ts";
import { type Fault, type FloodAnswer, startFaultyServer } from "./faults.ts";
import type { KeptCases } from "./kept-cases.ts";
import { type AnyLink, linkTo } from "./link.ts";
import { type FileCase, fileAt, type MutantCases } from "./mutant-probes.ts";
import {
  findCapabilityMismatches,
  findEventProblems,
  groupUpdatesOf,
  identityOf,
  leaks,
  printError,
  sensitiveFields,
} from "./rules.ts";

/** The cases of a transport's test. */
export interface ConformanceCases {
  /** Valid credentials with secrets that occur nowhere else. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The stored form, if the definition has `storedCredentials`. */
  readonly stored?: Readonly<Record<string, string>>;
  /** Parts of the credentials that are secret on their own. */
  readonly secrets?: readonly string[];
  /** Settings that point to a messenger at this address. */
  settings(url: string): Readonly<Record<string, string>>;
  /** A message to send, and one to edit, remove or open. */
  readonly message: OutboundMessage;
  readonly ref: MessageRef;
  /** If files have addresses of their own: one at this address, like that of `settings`. */
  readonly file: FileCase;
  /** If the capability is declared: a group, and somebody who may be added to it. */
  readonly group?: { readonly chatId: string; readonly person: GroupPersonName };
  /** Absent if the messenger has no such response before a connection is established; then there is `socketFlood`. */
  readonly flood?: FloodAnswer;
  /** The error that results from "too many requests" on a persistent connection. */
  socketFlood?(): unknown;
  /** Captured payloads of the messenger; at least one. */
  readonly samples: readonly unknown[];
  /** Payloads with a part that the connector does not know, and nothing else: it reports that part. */
  readonly unknown?: readonly unknown[];
  /** Which fields of the samples matter; the others are removed or changed, one at a time. */
  readonly mutants?: MutantCases;
  /** Which fields of the samples must be found in the events, and which need not. */
  readonly kept: KeptCases;
  /** Lets the transport receive a sample. */
  replay(sample: unknown, link: ChannelLink): Promise<unknown>;
}

const TEMPLATE: Template = {
  externalId: "1",
  name: "greeting",
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  components: [{ type: "BODY", text: "Hello" }],
};
const CLOSE_LIMIT_MS = 5_000;
const TIMEOUT_MS = 30_000;
/** For faults without a response, where waiting longer changes nothing. */
const SHORT_TIMEOUT_MS = 150;

/** Applies one fault to every method. Returns what the transport did wrong. */
export async function probeFault(
  transport: Transport,
  cases: ConformanceCases,
  fault: Fault,
): Promise<string[]> {
  const server = await startFaultyServer(fault, cases.flood);
  const link = linkTo(server.url, cases);
  const unhandled = watchUnhandled();
  try {
    const session = await transport.connector.open(link);
    const timeoutMs = fault === "no answer" ? SHORT_TIMEOUT_MS : TIMEOUT_MS;
    const failures = await failAll(transport, session, link, {
      ...cases,
      file: fileAt(cases.file, server.url),
      bare: typeof cases.file === "function",
      timeoutMs,
    });
    const slow = await probeClose(session);
    await nextTurn();
    return [
      ...failures.flatMap((failure) => judgeFailure(failure, fault, { transport, cases })),
      ...slow,
      ...link.events.flatMap(judgeFaultEvent),
      ...findLeaks(transport, cases, link, failures),
      ...unhandled.problems(),
    ];
  } finally {
    unhandled.stop();
    await link.dispose();
    await server.close();
  }
}

interface Failure {
  readonly method: string;
  /** Undefined if the call unexpectedly succeeded. */
  readonly error: unknown;
}

async function failAll(
  transport: Transport,
  session: Session,
  link: AnyLink,
  {
    credentials,
    message,
    ref,
    file,
    group,
    bare,
    timeoutMs,
  }: Omit<ConformanceCases, "file"> & {
    readonly file: FileRef;
    /** The file has an address of its own. */
    readonly bare: boolean;
    readonly timeoutMs: number;
  },
): Promise<Failure[]> {
  const { templates } = transport.connector;
  const calls: readonly (readonly [string, (signal: AbortSignal) => Promise<unknown> | undefined])[] = [
    ["verify", (signal) => transport.connector.verify?.({ ...accessOf(link), credentials }, signal)],
    ["send", (signal) => session.send(message, signal)],
    ["edit", (signal) => session.edit?.(ref, { text: "changed" }, signal)],
    ["remove", (signal) => session.remove?.(ref, signal)],
    ["react", (signal) => session.react?.({ ...ref, isOwn: true, changeId: "1" }, "❤️", signal)],
    ...(transport.definition.capabilities.marks ?? []).map(
      (mark) =>
        [`mark ${mark}`, (signal: AbortSignal) => session.mark?.(markedChat(ref), mark, signal)] as const,
    ),
    ["findPerson", (signal) => session.findPerson?.("79001112233", signal)],
    ["openFile", (signal) => session.openFile?.(file, signal).then(({ stream }) => void stream.destroy())],
    ["templates.create", (signal) => templates?.create(link, TEMPLATE, signal)],
    ["templates.change", (signal) => templates?.change(link, TEMPLATE, { category: "UTILITY" }, signal)],
    ["templates.remove", (signal) => templates?.remove(link, TEMPLATE, signal)],
  ];
  const outcomes = [...calls, ...groupCalls(transport, session, group)].map(
    async ([method, call]): Promise<Failure[]> => {
      try {
        const result = call(AbortSignal.timeout(timeoutMs));
        if (result === undefined) return [];
        await result;
        // Any response at the file's own address may be the file.
        return method === "openFile" && bare ? [] : [{ method, error: undefined }];
      } catch (error) {
        return [{ method, error }];
      }
    },
  );
  return (await Promise.all(outcomes)).flat();
}

function groupCalls(
  { definition }: Transport,
  { groups }: Session,
  group: ConformanceCases["group"],
): [string, (signal: AbortSignal) => Promise<unknown> | undefined][] {
  const can = definition.capabilities.groups;
  if (can === undefined || group === undefined) return [];
  const { chatId, person } = group;
  const id = "0b1e7d54-3f0a-4c5e-8b59-5e2d5f7c9a01";
  return [
    ["readGroup", (signal) => groups?.read(chatId, signal)],
    ...(can.create
      ? ([
          [CREATE_GROUP, (signal) => groups?.create({ id, name: "Team", people: [person] }, signal)],
        ] satisfies ReturnType<typeof groupCalls>)
      : []),
    ...(can.rename
      ? ([
          ["changeGroup", (signal) => groups?.change(chatId, { kind: "rename", name: "Crew" }, signal)],
        ] satisfies ReturnType<typeof groupCalls>)
      : []),
  ];
}
const CREATE_GROUP = "createGroup";

function markedChat({ chatType, chatId, externalId }: MessageRef): MarkedChat {
  return { chatType, chatId, messages: [{ externalId, sentAt: new Date() }] };
}

function judgeFailure(
  { method, error }: Failure,
  fault: Fault,
  { transport: { definition }, cases }: { readonly transport: Transport; readonly cases: ConformanceCases },
): string[] {
  if (!(error instanceof TransportError)) return [`${method}: ${String(error)} is not a TransportError`];
  const { retry } = error;
  if (fault === "flood") {
    return typeof retry === "object" && retry.afterMs > 0
      ? []
      : [`${method}: too many requests must cause an error with a delay`];
  }
  if (fault === "refused connection")
    return retry === "later" ? [] : [`${method}: nothing was sent, so the error must allow a retry`];
  // Without its persistent connection a transport sends nothing.
  const isSent = cases.socketFlood === undefined;
  const mustNotRepeat =
    (method === CREATE_GROUP && isSent) || (method === "send" && definition.capabilities.resend === "unsafe");
  if (mustNotRepeat && fault !== "cut before the request") {
    return retry === "unknown" ? [] : [`${method}: the request may have arrived, so the outcome is unknown`];
  }
  return retry === "unknown" || retry === "later" ? [] : [`${method}: a broken connection is not a refusal`];
}

function judgeFaultEvent(event: TransportEvent): string[] {
  if (event.kind !== "link") return [`a broken connection emitted an event: ${event.kind}`];
  const { status } = event.state;
  return status === "disabled" || status === "active" ? [`a broken connection became "${status}"`] : [];
}

/** Closes twice; both calls must end in time. */
async function probeClose(session: Session): Promise<string[]> {
  const started = performance.now();
  try {
    await Promise.all([session.close(), session.close()]);
    await session.close();
  } catch (error) {
    return [`close: ${String(error)}`];
  }
  return performance.now() - started < CLOSE_LIMIT_MS ? [] : ["close took longer than five seconds"];
}

/** Opens against a messenger that never responds, and compares methods with capabilities. */
export async function probeCapabilities(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const server = await startFaultyServer("no answer", cases.flood);
  const link = linkTo(server.url, cases);
  try {
    const session = await transport.connector.open(link);
    const hasGroups = transport.definition.capabilities.groups !== undefined;
    return [
      ...findCapabilityMismatches(transport, session),
      ...(hasGroups && cases.group === undefined ? ["there is no case of a group"] : []),
      ...(await probeClose(session)),
    ];
  } finally {
    await link.dispose();
    await server.close();
  }
}

/**
 * Replays a sample twice: it must emit the same events, and only events that core can store. The messenger fails at
 * once, so that a connector that queries it for optional data does not wait.
 */
export async function probeSample(
  transport: Transport,
  cases: ConformanceCases,
  sample: unknown,
): Promise<string[]> {
  const server = await startFaultyServer("500", cases.flood);
  const link = linkTo(server.url, cases);
  try {
    await cases.replay(sample, link);
    const first = link.events.splice(0);
    await cases.replay(sample, link);
    const isSame = first.map(identityOf).join() === link.events.map(identityOf).join();
    return [
      ...(isSame ? [] : ["a replay emits other events"]),
      ...first.flatMap((event) => findEventProblems(transport.definition, event)),
      ...findLeaks(transport, cases, link, []),
    ];
  } finally {
    link.abort();
    await link.dispose();
    await server.close();
  }
}

/** Every kind of group update that the capabilities promise must occur in a sample. */
export async function probeGroupUpdates(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const server = await startFaultyServer("500", cases.flood);
  const link = linkTo(server.url, cases);
  try {
    for (const sample of cases.samples) await cases.replay(sample, link);
    const emitted = new Set(link.events.flatMap(groupUpdatesOf));
    const promised = transport.definition.capabilities.groupUpdates ?? [];
    return promised
      .filter((update) => !emitted.has(update))
      .map((update) => `no sample updates a group's ${update}`);
  } finally {
    link.abort();
    await link.dispose();
    await server.close();
  }
}

function accessOf({ settings, request }: AnyLink): Pick<AnyLink, "settings" | "request"> {
  return { settings, request };
}

export function findLeaks(
  transport: Transport,
  cases: ConformanceCases,
  link: AnyLink,
  failures: readonly Failure[],
): string[] {
  const values = sensitiveFields(transport.definition).flatMap((name) => [
    cases.credentials[name] ?? "",
    cases.stored?.[name] ?? "",
  ]);
  const whole = values.filter((value) => value !== "");
  const secrets = [...whole, ...(cases.secrets ?? [])];
  // The exchange log masks credentials and sensitive settings only in their plain form.
  const ofInstallation = Object.entries(transport.definition.settings)
    .filter(([, { sensitive }]) => sensitive === true)
    .map(([name]) => link.settings[name] ?? "")
    .filter((value) => value !== "");
  const masked = link.exchanges.map((text) =>
    [...whole, ...ofInstallation].reduce((rest, value) => rest.replaceAll(value, "***"), text),
  );
  const places: readonly (readonly [string, string])[] = [
    ["an exchange", masked.join("\n")],
    ["the log", JSON.stringify(link.logs)],
    ["an event", JSON.stringify(link.events)],
    ["an error", failures.map(({ error }) => printError(error)).join("\n")],
  ];
  return places.filter(([, text]) => leaks(text, secrets)).map(([place]) => `a secret occurs in ${place}`);
}

export function watchUnhandled(): { problems(): string[]; stop(): void } {
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", note);
  return {
    problems: () => seen.map((reason) => `unhandled rejection: ${String(reason)}`),
    stop: () => void process.off("unhandledRejection", note),
  };
}
