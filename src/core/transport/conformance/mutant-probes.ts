import { soundDate } from "../../../platform/foreign-date.ts";
import type { ChannelLink, OutboundMessage, SentMessage, Transport } from "../connector.ts";
import { TransportError } from "../errors.ts";
import { findShapeFaults } from "../event-shape.ts";
import type { TransportEvent } from "../events.ts";
import { type AnsweringServer, startAnsweringServer } from "./answers.ts";
import { createTestLink, type TestLink } from "./link.ts";
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
}

export interface SendCase {
  readonly message: OutboundMessage;
  /** The path of the request that sends. */
  readonly request: RegExp;
  readonly answer: unknown;
  /** Without these it is not known whether the message was sent. */
  readonly essential: readonly RegExp[];
}

/** The parts of `ConformanceCases` that are needed here. */
interface Cases {
  readonly credentials: Readonly<Record<string, string>>;
  settings(url: string): Readonly<Record<string, string>>;
  replay(sample: unknown, link: ChannelLink): Promise<unknown>;
}

type AnyLink = TestLink<Readonly<Record<string, string>>, Readonly<Record<string, string>>>;

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
  const link: AnyLink = createTestLink({ credentials: cases.credentials, settings: cases.settings(NOWHERE) });
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
    const faults = findShapeFaults(event);
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

/** Answers a send with every mutant of the messenger's answer: what was sent is never reported as an error. */
export async function probeSendAnswers(
  transport: Transport,
  cases: Pick<Cases, "credentials" | "settings"> & { readonly send: SendCase },
): Promise<string[]> {
  const { message, request, answer, essential } = cases.send;
  const server = await startAnsweringServer(request);
  const link: AnyLink = createTestLink({
    credentials: cases.credentials,
    settings: cases.settings(server.url),
  });
  const session = await transport.connector.open(link);
  const send = (): Promise<SentMessage> => session.send(message, AbortSignal.timeout(30_000));
  const problems: string[] = [];
  try {
    for (const mutant of [{ path: "", change: "as it is", value: answer }, ...mutantsOf(answer)]) {
      const isEssential = essential.some((each) => each.test(mutant.path));
      const found = await probeSend(server, { mutant, send, isEssential });
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

async function probeSend(
  server: AnsweringServer,
  { mutant, send, isEssential }: { mutant: Mutant; send: () => Promise<SentMessage>; isEssential: boolean },
): Promise<string[]> {
  server.answer(mutant.value);
  try {
    return judgeSent(await send());
  } catch (error) {
    if (!(error instanceof TransportError)) return [`threw ${String(error)}`];
    return isEssential ? [] : [`was reported as ${error.code}: ${error.message}`];
  }
}

function judgeSent({ chatId, externalId, sentAt }: SentMessage): string[] {
  const isFilled = [chatId, externalId].every((each) => typeof each === "string" && each !== "");
  const isSound = sentAt instanceof Date && soundDate(sentAt, new Date()) === sentAt;
  return [...(isFilled ? [] : ["an id is empty"]), ...(isSound ? [] : ["sentAt is not sensible"])];
}
