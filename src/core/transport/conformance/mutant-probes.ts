import { plausibleDate } from "../../../platform/foreign/foreign-date.ts";
import type {
  ChannelLink,
  OpenedFile,
  OutboundMessage,
  SentMessage,
  Session,
  Transport,
} from "../connector.ts";
import { CredentialsError, TransportError } from "../errors.ts";
import { findShapeErrors } from "../event-shape.ts";
import type { ChannelProfile, FileRef, TransportEvent } from "../events.ts";
import { type LaidOutAnswer, startAnsweringServer } from "./answers.ts";
import { type AnyLink, linkTo } from "./link.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { findEventProblems } from "./rules.ts";

/** The fields of a transport's payloads, by patterns of paths such as `message.photo[].file_id`. */
export interface MutantCases {
  /** Without these, nothing can be emitted: the payload may become a dead letter. */
  readonly essential: readonly RegExp[];
  /** These decide what the payload is about: with another value, it may emit nothing. */
  readonly decisive: readonly RegExp[];
  /** A send, and the messenger's response to it; absent if nothing is sent over HTTP. */
  readonly send?: SendCase;
  /** The same for `verify`. */
  readonly verify?: AnswerCase;
  /** The same for `openFile`, with the file of the cases. */
  readonly openFile?: AnswerCase;
}

export interface SendCase extends LaidOutAnswer {
  readonly message: OutboundMessage;
  /** Without these, it is unknown whether the message was sent. */
  readonly essential: readonly RegExp[];
}

/** The messenger's responses to the requests of one call. */
export interface AnswerCase {
  readonly answers: readonly LaidOutAnswer[];
  /** In any of the responses: without these the call cannot succeed. */
  readonly essential: readonly RegExp[];
}

/** The part of `ConformanceCases` that is used here. */
interface Cases {
  readonly credentials: Readonly<Record<string, string>>;
  readonly stored?: Readonly<Record<string, string>>;
  settings(url: string): Readonly<Record<string, string>>;
  replay(sample: unknown, link: ChannelLink): Promise<unknown>;
}

/** Nothing listens at this address, so requests of the connector fail immediately. */
const UNREACHABLE_URL = "http://127.0.0.1:9";
const MAX_PROBLEMS = 20;

/**
 * Lets the transport receive every mutant of a sample. A null field must count as missing; emitted events must be
 * storable; an optional field must not cause a loss, and any other loss must create a dead letter. Returns the
 * problems, at most 20.
 */
export async function probeMutants(
  transport: Transport,
  cases: Cases & { readonly mutants: MutantCases },
  sample: unknown,
): Promise<string[]> {
  const whole = await receive(cases, sample);
  const problems: string[] = [];
  let missing: Received | undefined;
  for (const mutant of mutantsOf(sample)) {
    const received = await receive(cases, mutant.value);
    const found = [
      ...judge(transport, cases.mutants, { mutant, received, whole }),
      ...(isAbsent(mutant, cases.mutants) ? differences(missing, received) : []),
    ];
    if (mutant.change === "missing") missing = received;
    problems.push(...found.map((problem) => `${mutant.path} ${mutant.change}: ${problem}`));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems.slice(0, MAX_PROBLEMS);
}

interface Received {
  readonly events: readonly TransportEvent[];
  /** Dead letters, and reports of what the connector does not know. */
  readonly kept: number;
  readonly reported: number;
  /** Undefined if the payload was accepted. */
  readonly error: unknown;
}

async function receive(cases: Cases, payload: unknown): Promise<Received> {
  const link = linkTo(UNREACHABLE_URL, cases);
  let error: unknown;
  try {
    await cases.replay(payload, link);
  } catch (thrown) {
    error = thrown;
  }
  link.abort();
  await link.dispose();
  return { events: link.events, kept: link.deadLetters.length, reported: link.unknown.length, error };
}

interface Seen {
  readonly mutant: Mutant;
  readonly received: Received;
  /** The result of the sample itself. */
  readonly whole: Received;
}

function judge({ definition }: Transport, cases: MutantCases, { mutant, received, whole }: Seen): string[] {
  const { events, kept, reported, error } = received;
  const unsound = events.flatMap((event) => {
    const faults = findShapeErrors(event);
    return faults.length > 0 ? faults : findEventProblems(definition, event);
  });
  // The payload was not confirmed, so the messenger repeats it.
  if (error instanceof TransportError) return unsound;
  if (error !== undefined) return [`threw ${String(error)}`];
  const isLess = events.length < whole.events.length;
  const isMentioned = (patterns: readonly RegExp[]): boolean =>
    patterns.some((each) => each.test(mutant.path));
  if (!isLess || isMentioned(cases.decisive)) return unsound;
  if (kept === 0) return reported > 0 ? unsound : [...unsound, "data was dropped without a dead letter"];
  return isMentioned(cases.essential) ? unsound : [...unsound, "a dead letter because of an optional field"];
}

/** Whether null must have the same effect as a missing field: not for items of a list, nor for decisive fields. */
function isAbsent({ path, change }: Mutant, { decisive }: MutantCases): boolean {
  return change === "null" && !path.endsWith("[]") && !decisive.some((each) => each.test(path));
}

/** Ignores times, which may be those of the replay. */
function differences(missing: Received | undefined, isNull: Received): string[] {
  const told = (received: Received | undefined): string =>
    JSON.stringify([received?.events, received?.kept], (key, value: unknown) =>
      key === "sentAt" || key === "at" ? undefined : value,
    );
  return told(missing) === told(isNull) ? [] : ["differs from a missing field"];
}

type AnswerCases = Pick<Cases, "credentials" | "settings"> & { readonly file: FileCase };
/** A file, or a function that returns a file with a URL below the messenger's. */
export type FileCase = FileRef | ((url: string) => FileRef);

export function fileAt(file: FileCase, url: string): FileRef {
  return typeof file === "function" ? file(url) : file;
}

/**
 * Responds to a send with every mutant of the messenger's responses: a sent message must never be reported as failed.
 */
export function probeSendAnswers(
  transport: Transport,
  cases: AnswerCases & { readonly send: SendCase },
): Promise<string[]> {
  const { message, essential, ...answer } = cases.send;
  return probeAnswers(transport, cases, { answers: [answer], essential }, async (session) =>
    judgeSent(await session.send(message, AbortSignal.timeout(TIMEOUT_MS))),
  );
}

/** The same for `verify`: the account must be identified whatever else the responses lack. */
export function probeVerifyAnswers(
  transport: Transport,
  cases: AnswerCases & { readonly verify: AnswerCase },
): Promise<string[]> {
  return probeAnswers(transport, cases, cases.verify, async (_, link) => {
    const { settings, request } = link;
    const access = { credentials: cases.credentials, settings, request };
    const verified = await transport.connector.verify?.(access, AbortSignal.timeout(TIMEOUT_MS));
    return verified === undefined ? ["there is no verify"] : judgeProfile(verified.profile);
  });
}

/** The same for `openFile`: the file must open whatever its description lacks. */
export function probeFileAnswers(
  transport: Transport,
  cases: AnswerCases & { readonly openFile: AnswerCase },
): Promise<string[]> {
  return probeAnswers(transport, cases, cases.openFile, async (session, _link, url) => {
    const file = fileAt(cases.file, url);
    const opened = await session.openFile?.(file, AbortSignal.timeout(TIMEOUT_MS));
    opened?.stream.destroy();
    return opened === undefined ? ["there is no openFile"] : judgeFile(opened);
  });
}

const TIMEOUT_MS = 30_000;

/**
 * Makes the call with every mutant of each response, leaving the others unchanged. `call` returns what is wrong with
 * its result.
 */
async function probeAnswers(
  transport: Transport,
  cases: AnswerCases,
  { answers, essential }: AnswerCase,
  call: (session: Session, link: AnyLink, url: string) => Promise<string[]>,
): Promise<string[]> {
  const server = await startAnsweringServer();
  const link = linkTo(server.url, cases);
  const session = await transport.connector.open(link);
  const problems: string[] = [];
  try {
    for (const { mutant, laidOut } of mutantAnswers(answers)) {
      server.answer(laidOut);
      const isEssential = essential.some((each) => each.test(mutant.path));
      const found = await call(session, link, server.url).catch((error: unknown) =>
        judgeRefusal(error, isEssential),
      );
      problems.push(...found.map((problem) => `${mutant.path} ${mutant.change}: ${problem}`));
    }
  } finally {
    await session.close();
    link.abort();
    await link.dispose();
    await server.close();
  }
  return problems.slice(0, MAX_PROBLEMS);
}

function* mutantAnswers(
  answers: readonly LaidOutAnswer[],
): Generator<{ mutant: Mutant; laidOut: readonly LaidOutAnswer[] }> {
  yield { mutant: { path: "", change: "as it is", value: undefined }, laidOut: answers };
  for (const [index, { request, answer }] of answers.entries()) {
    if (typeof answer !== "object") continue;
    for (const mutant of mutantsOf(answer))
      yield { mutant, laidOut: answers.with(index, { request, answer: mutant.value }) };
  }
}

function judgeRefusal(error: unknown, isEssential: boolean): string[] {
  if (!(error instanceof TransportError || error instanceof CredentialsError))
    return [`threw ${String(error)}`];
  return isEssential ? [] : [`was reported as "${error.message}"`];
}

function judgeSent({ chatId, externalId, sentAt }: SentMessage): string[] {
  const isFilled = [chatId, externalId].every((each) => typeof each === "string" && each !== "");
  const isSound = sentAt instanceof Date && plausibleDate(sentAt, new Date()) === sentAt;
  return [...(isFilled ? [] : ["an id is empty"]), ...(isSound ? [] : ["sentAt is not plausible"])];
}

function judgeProfile({ messengerId, name, ...others }: ChannelProfile): string[] {
  const texts = [messengerId, name, ...Object.values(others)];
  const isText = texts.every((each) => each === undefined || typeof each === "string");
  return isText && messengerId !== "" && name !== "" ? [] : [`the profile has wrong fields: ${texts.join()}`];
}

function judgeFile({ name, mimeType, size }: OpenedFile): string[] {
  const isText = [name, mimeType].every((each) => each === undefined || typeof each === "string");
  const isSize = size === undefined || (Number.isSafeInteger(size) && size >= 0);
  return isText && isSize ? [] : [`the file has wrong fields: ${[name, mimeType, size].join()}`];
}
