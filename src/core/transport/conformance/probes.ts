import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChannelLink, OutboundMessage, Session, Transport } from "../connector.ts";
import { TransportError } from "../errors.ts";
import type { FileRef, MessageRef, TransportEvent } from "../events.ts";
import type { Template } from "../template.ts";
import { type Fault, type FloodAnswer, startFaultyServer } from "./faults.ts";
import { type AnyLink, linkTo } from "./link.ts";
import { type FileCase, fileAt, type MutantCases } from "./mutant-probes.ts";
import {
  findCapabilityMismatches,
  findEventProblems,
  identityOf,
  leaks,
  newsOf,
  printError,
  sensitiveFields,
} from "./rules.ts";

/** What a transport's test gives the kit. */
export interface ConformanceCases {
  /** Valid credentials with secrets that occur nowhere else. */
  readonly credentials: Readonly<Record<string, string>>;
  /** What is stored in their place, where the definition has `storedCredentials`. */
  readonly stored?: Readonly<Record<string, string>>;
  /** Parts of the credentials that are secret by themselves. */
  readonly secrets?: readonly string[];
  /** Settings that lead to a messenger at this address. */
  settings(url: string): Readonly<Record<string, string>>;
  /** Something to send, and something to edit, remove or open. */
  readonly message: OutboundMessage;
  readonly ref: MessageRef;
  /** Where files lie at addresses of their own: one at this address, as that of `settings`. */
  readonly file: FileCase;
  /** Absent where the messenger has no such answer before a connection stands; then `socketFlood` is there. */
  readonly flood?: FloodAnswer;
  /** The error that becomes of "too many", said on a lasting connection. */
  socketFlood?(): unknown;
  /** What the messenger sends us, as captured; at least one. */
  readonly samples: readonly unknown[];
  /** Which fields of the samples matter; all others are taken away or made odd, one at a time. */
  readonly mutants?: MutantCases;
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
const PATIENCE_MS = 30_000;
/** Where no answer comes, however long one waits. */
const SHORT_PATIENCE_MS = 150;

/** Meets one fault with every method. Answers what the transport did wrong. */
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
    const patienceMs = fault === "no answer" ? SHORT_PATIENCE_MS : PATIENCE_MS;
    const failures = await failAll(transport, session, link, {
      ...cases,
      file: fileAt(cases.file, server.url),
      bare: typeof cases.file === "function",
      patienceMs,
    });
    const slow = await probeClose(session);
    await nextTurn();
    return [
      ...failures.flatMap((failure) => judgeFailure(failure, fault, transport)),
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
  /** Undefined when the call, oddly, succeeded. */
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
    bare,
    patienceMs,
  }: Omit<ConformanceCases, "file"> & {
    readonly file: FileRef;
    /** The file lies at an address of its own. */
    readonly bare: boolean;
    readonly patienceMs: number;
  },
): Promise<Failure[]> {
  const { templates } = transport.connector;
  const calls: readonly (readonly [string, (signal: AbortSignal) => Promise<unknown> | undefined])[] = [
    ["verify", (signal) => transport.connector.verify?.({ ...accessOf(link), credentials }, signal)],
    ["send", (signal) => session.send(message, signal)],
    ["edit", (signal) => session.edit?.(ref, { text: "changed" }, signal)],
    ["remove", (signal) => session.remove?.(ref, signal)],
    ["openFile", (signal) => session.openFile?.(file, signal).then(({ stream }) => void stream.destroy())],
    ["templates.create", (signal) => templates?.create(link, TEMPLATE, signal)],
    ["templates.change", (signal) => templates?.change(link, TEMPLATE, { category: "UTILITY" }, signal)],
    ["templates.remove", (signal) => templates?.remove(link, TEMPLATE, signal)],
  ];
  const outcomes = calls.map(async ([method, call]): Promise<Failure[]> => {
    try {
      const result = call(AbortSignal.timeout(patienceMs));
      if (result === undefined) return [];
      await result;
      // Whatever is answered at an address of the file's own may be the file.
      return method === "openFile" && bare ? [] : [{ method, error: undefined }];
    } catch (error) {
      return [{ method, error }];
    }
  });
  return (await Promise.all(outcomes)).flat();
}

function judgeFailure({ method, error }: Failure, fault: Fault, { definition }: Transport): string[] {
  if (!(error instanceof TransportError)) return [`${method}: ${String(error)} is not a TransportError`];
  const { retry } = error;
  if (fault === "flood") {
    return typeof retry === "object" && retry.afterMs > 0
      ? []
      : [`${method}: a flood must say how long to wait`];
  }
  if (fault === "refused connection")
    return retry === "later" ? [] : [`${method}: nothing was sent, so repeat later`];
  const mustNotRepeat = method === "send" && definition.capabilities.resend === "unsafe";
  if (mustNotRepeat && fault !== "cut before the request") {
    return retry === "unknown" ? [] : [`${method}: may have arrived, so its outcome is unknown`];
  }
  return retry === "unknown" || retry === "later" ? [] : [`${method}: a broken line is no refusal`];
}

function judgeFaultEvent(event: TransportEvent): string[] {
  if (event.kind !== "link") return [`a broken line became an event: ${event.kind}`];
  const { status } = event.state;
  return status === "disabled" || status === "active" ? [`a broken line became "${status}"`] : [];
}

/** Closes twice; both must end in time. */
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

/** Opens against a messenger that never answers, and compares methods with capabilities. */
export async function probeCapabilities(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const server = await startFaultyServer("no answer", cases.flood);
  const link = linkTo(server.url, cases);
  try {
    const session = await transport.connector.open(link);
    return [...findCapabilityMismatches(transport, session), ...(await probeClose(session))];
  } finally {
    await link.dispose();
    await server.close();
  }
}

/**
 * Replays a sample twice: the same events, and nothing that core cannot store. The messenger is out of order at once: a
 * connector that asks it for an ornament would wait its time for one that does not answer.
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
      ...(isSame ? [] : ["a replay tells something else"]),
      ...first.flatMap((event) => findEventProblems(transport.definition, event)),
      ...findLeaks(transport, cases, link, []),
    ];
  } finally {
    link.abort();
    await link.dispose();
    await server.close();
  }
}

/** Every kind of news of groups that the capabilities promise occurs in some sample. */
export async function probeGroupNews(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const server = await startFaultyServer("500", cases.flood);
  const link = linkTo(server.url, cases);
  try {
    for (const sample of cases.samples) await cases.replay(sample, link);
    const told = new Set(link.events.flatMap(newsOf));
    const promised = transport.definition.capabilities.groupUpdates ?? [];
    return promised.filter((news) => !told.has(news)).map((news) => `no sample tells of a group's ${news}`);
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
  // The exchange log masks credentials and sensitive settings as they are; in any other form they would show.
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
  return places.filter(([, text]) => leaks(text, secrets)).map(([place]) => `a secret shows in ${place}`);
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
