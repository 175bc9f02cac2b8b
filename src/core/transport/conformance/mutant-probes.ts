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

/** What a transport's test says of its payloads; patterns match paths such as `message.photo[].file_id`. */
export interface MutantCases {
  /** Without these nothing can be told: such a payload may become a dead letter. */
  readonly essential: readonly RegExp[];
  /** These say what the payload is about: with another one, it may tell of nothing. */
  readonly decisive: readonly RegExp[];
  /** A send, and what the messenger answers to it; absent where nothing is sent over HTTP. */
  readonly send?: SendCase;
  /** The same of `verify`. */
  readonly verify?: AnswerCase;
  /** The same of `openFile`, for the file of the cases. */
  readonly openFile?: AnswerCase;
}

export interface SendCase extends LaidOutAnswer {
  readonly message: OutboundMessage;
  /** Without these it is not known whether the message was sent. */
  readonly essential: readonly RegExp[];
}

/** What the messenger answers to the requests of one call. */
export interface AnswerCase {
  readonly answers: readonly LaidOutAnswer[];
  /** Of any of the answers: without these the call cannot succeed. */
  readonly essential: readonly RegExp[];
}

/** The parts of `ConformanceCases` that are needed here. */
interface Cases {
  readonly credentials: Readonly<Record<string, string>>;
  readonly stored?: Readonly<Record<string, string>>;
  settings(url: string): Readonly<Record<string, string>>;
  replay(sample: unknown, link: ChannelLink): Promise<unknown>;
}

/** Nobody listens there, so that what is asked on the way fails at once. */
const NOWHERE = "http://127.0.0.1:9";
const MOST_PROBLEMS = 20;

/**
 * Lets the transport receive every mutant of a sample. A field that is null is absent; what is told can be stored; nothing
 * is dropped for an ornament, and what is dropped for more than that is kept as a dead letter. Answers what was wrong,
 * 20 problems at most.
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
    if (problems.length >= MOST_PROBLEMS) break;
  }
  return problems.slice(0, MOST_PROBLEMS);
}

interface Received {
  readonly events: readonly TransportEvent[];
  readonly kept: number;
  /** Undefined when it was taken. */
  readonly error: unknown;
}

async function receive(cases: Cases, payload: unknown): Promise<Received> {
  const link = linkTo(NOWHERE, cases);
  let error: unknown;
  try {
    await cases.replay(payload, link);
  } catch (thrown) {
    error = thrown;
  }
  link.abort();
  await link.dispose();
  return { events: link.events, kept: link.deadLetters.length, error };
}

interface Seen {
  readonly mutant: Mutant;
  readonly received: Received;
  /** Of the sample itself. */
  readonly whole: Received;
}

function judge({ definition }: Transport, cases: MutantCases, { mutant, received, whole }: Seen): string[] {
  const { events, kept, error } = received;
  const unsound = events.flatMap((event) => {
    const faults = findShapeErrors(event);
    return faults.length > 0 ? faults : findEventProblems(definition, event);
  });
  // It was not taken, and comes again.
  if (error instanceof TransportError) return unsound;
  if (error !== undefined) return [`threw ${String(error)}`];
  const isLess = events.length < whole.events.length;
  const isMentioned = (patterns: readonly RegExp[]): boolean =>
    patterns.some((each) => each.test(mutant.path));
  if (!isLess || isMentioned(cases.decisive)) return unsound;
  if (kept === 0) return [...unsound, "something was dropped without a dead letter"];
  return isMentioned(cases.essential) ? unsound : [...unsound, "a dead letter for an ornament"];
}

/** Of a list's item, null is not nothing; of a decisive field neither form occurs. */
function isAbsent({ path, change }: Mutant, { decisive }: MutantCases): boolean {
  return change === "null" && !path.endsWith("[]") && !decisive.some((each) => each.test(path));
}

/** Times may be the moment of the replay. */
function differences(missing: Received | undefined, isNull: Received): string[] {
  const told = (received: Received | undefined): string =>
    JSON.stringify([received?.events, received?.kept], (key, value: unknown) =>
      key === "sentAt" || key === "at" ? undefined : value,
    );
  return told(missing) === told(isNull) ? [] : ["is not told as if it were missing"];
}

type AnswerCases = Pick<Cases, "credentials" | "settings"> & { readonly file: FileCase };
/** A file, or one at an address of its own below the messenger's. */
export type FileCase = FileRef | ((url: string) => FileRef);

export function fileAt(file: FileCase, url: string): FileRef {
  return typeof file === "function" ? file(url) : file;
}

/** Answers a send with every mutant of the messenger's answers: what was sent is never reported as an error. */
export function probeSendAnswers(
  transport: Transport,
  cases: AnswerCases & { readonly send: SendCase },
): Promise<string[]> {
  const { message, essential, ...answer } = cases.send;
  return probeAnswers(transport, cases, { answers: [answer], essential }, async (session) =>
    judgeSent(await session.send(message, AbortSignal.timeout(PATIENCE_MS))),
  );
}

/** The same of `verify`: whom the credentials belong to is told whatever else the answers lack. */
export function probeVerifyAnswers(
  transport: Transport,
  cases: AnswerCases & { readonly verify: AnswerCase },
): Promise<string[]> {
  return probeAnswers(transport, cases, cases.verify, async (_, link) => {
    const { settings, request } = link;
    const access = { credentials: cases.credentials, settings, request };
    const verified = await transport.connector.verify?.(access, AbortSignal.timeout(PATIENCE_MS));
    return verified === undefined ? ["there is no verify"] : judgeProfile(verified.profile);
  });
}

/** The same of `openFile`: a file is opened whatever its description lacks. */
export function probeFileAnswers(
  transport: Transport,
  cases: AnswerCases & { readonly openFile: AnswerCase },
): Promise<string[]> {
  return probeAnswers(transport, cases, cases.openFile, async (session, _link, url) => {
    const file = fileAt(cases.file, url);
    const opened = await session.openFile?.(file, AbortSignal.timeout(PATIENCE_MS));
    opened?.stream.destroy();
    return opened === undefined ? ["there is no openFile"] : judgeFile(opened);
  });
}

const PATIENCE_MS = 30_000;

/** Calls with every mutant of each answer, the others as they are. `call` answers what is wrong with its result. */
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
  return problems.slice(0, MOST_PROBLEMS);
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
  return [...(isFilled ? [] : ["an id is empty"]), ...(isSound ? [] : ["sentAt is not sensible"])];
}

function judgeProfile({ messengerId, name, ...others }: ChannelProfile): string[] {
  const texts = [messengerId, name, ...Object.values(others)];
  const isText = texts.every((each) => each === undefined || typeof each === "string");
  return isText && messengerId !== "" && name !== "" ? [] : [`the profile has odd fields: ${texts.join()}`];
}

function judgeFile({ name, mimeType, size }: OpenedFile): string[] {
  const isText = [name, mimeType].every((each) => each === undefined || typeof each === "string");
  const isSize = size === undefined || (Number.isSafeInteger(size) && size >= 0);
  return isText && isSize ? [] : [`the file has odd fields: ${[name, mimeType, size].join()}`];
}
