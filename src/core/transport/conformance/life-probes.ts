import { setTimeout as sleep } from "node:timers/promises";
import type { Session, SignInReply, SignInVisit, Transport } from "../connector.ts";
import { LoginRefused, TransportError } from "../errors.ts";
import { LOGIN_STEPS, type LoginStepKind } from "../login.ts";
import { FAULTS, type Fault, startFaultyServer } from "./faults.ts";
import { type AnyLink, linkTo } from "./link.ts";
import { type ConformanceCases, findLeaks, watchUnhandled } from "./probes.ts";

/** Aborted work must have ended by then. */
const END_LIMIT_MS = 5_000;
const LOGIN_LIMIT_MS = 30_000;
/** Long enough to observe work that continues although it was ended. */
const OBSERVE_MS = 50;

/** No login is under way: each step must be refused, as not expected or because the messenger did not respond. */
export async function probeLogin(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  if (transport.definition.capabilities.login.length === 0) return [];
  return withSession(transport, cases, "no answer", async (session) => {
    const kinds = Object.keys(LOGIN_STEPS) as LoginStepKind[];
    const outcomes = kinds.map((kind) => refusalOf(transport, session, kind));
    return (await Promise.all(outcomes)).flat();
  });
}

async function refusalOf(
  { definition }: Transport,
  session: Session,
  kind: LoginStepKind,
): Promise<string[]> {
  const answer = Promise.resolve(session.answer?.({ kind, value: "79990000000" })).then(
    () => "it was accepted",
    (error: unknown) => (error instanceof LoginRefused ? error.reason : String(error)),
  );
  const outcome = await inTime(answer, LOGIN_LIMIT_MS);
  const isKnown = definition.capabilities.login.includes(kind);
  const fine = isKnown ? ["not_expected", "unavailable"] : ["not_expected"];
  return fine.includes(outcome ?? "") ? [] : [`answer ${kind}: ${outcome ?? "nothing happened"}`];
}

/** The channel closes, or the node loses it: work under way must end soon, and nothing may be sent any more. */
export async function probeAbort(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  return withSession(transport, cases, "no answer", async (session, link) => {
    const sending = session.send(cases.message, link.signal).then(
      () => "send: it succeeded without a response",
      (error: unknown) =>
        error instanceof TransportError ? null : `send: ${String(error)} is not a TransportError`,
    );
    await nextExchange(link);
    link.abort();
    const outcome = await inTime(sending, END_LIMIT_MS);
    const closed = await inTime(
      session.close().then(() => null),
      END_LIMIT_MS,
    );
    const [before, told] = [link.exchanges.length, link.events.length];
    await sleep(OBSERVE_MS);
    return [
      outcome === undefined ? "send continued after the link had ended" : outcome,
      closed === undefined ? "close took longer than five seconds" : null,
      link.exchanges.length > before ? "a request was sent after the link had ended" : null,
      link.events.length > told ? "an event was emitted after the link had ended" : null,
    ].filter((problem) => problem !== null);
  });
}

/** A send may wait for a connection that is never established; then there is no exchange to wait for. */
async function nextExchange(link: AnyLink): Promise<void> {
  for (let looks = 0; link.exchanges.length === 0 && looks < 20; looks++) await sleep(5);
}

/** Every way to log a channel out at its messenger must end, whatever the messenger does. */
export async function probeLogouts(
  transport: Transport,
  cases: ConformanceCases,
  limitMs = 3 * END_LIMIT_MS,
): Promise<string[]> {
  const { leave } = transport.connector;
  const problems: string[] = [];
  for (const fault of FAULTS.filter((each) => each !== "flood" && each !== "no answer")) {
    const unhandled = watchUnhandled();
    const found = await withSession(transport, cases, fault, async (session, link) => {
      const ended = session.logout === undefined ? "" : await settled(session.logout(), limitMs);
      const left =
        leave === undefined ? "" : await settled(leave(link as Parameters<typeof leave>[0]), limitMs);
      return [
        ended === undefined ? `logout does not end after: ${fault}` : "",
        left === undefined ? `leave does not end after: ${fault}` : "",
        ...findLeaks(transport, cases, link, []),
      ].filter((problem) => problem !== "");
    });
    unhandled.stop();
    problems.push(...found, ...unhandled.problems());
  }
  return problems;
}

/** Whether the work ended within the limit, successfully or not. */
function settled(work: Promise<unknown>, limitMs: number): Promise<string | undefined> {
  return inTime(
    work.then(
      () => "done",
      () => "refused",
    ),
    limitMs,
  );
}

/** A value that an attacker may send in the messenger's place. */
const HOSTILE = '"><script>alert(1)</script><b id=probe>';

/** Each step of the sign-in must return an address or data, whatever the messenger responds. */
export async function probeSignIn(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const { signIn } = transport.connector;
  if (signIn === undefined) return [];
  const problems: string[] = [];
  for (const fault of ["500", "garbage", "refused connection"] as const) {
    const server = await startFaultyServer(fault);
    const link = linkTo(server.url, cases);
    // Core starts a sign-in only if the settings offer it.
    const offered = signIn.isOffered(link as SignInLink);
    for (const step of offered ? signInSteps(transport, signIn, link as SignInLink) : []) {
      const outcome = await inTime(
        step().then(judgeStep, (error: unknown) => [`signIn: ${String(error)}`]),
        2 * END_LIMIT_MS,
      );
      problems.push(...(outcome ?? ["signIn: nothing happened"]));
    }
    problems.push(...findLeaks(transport, cases, link, []));
    link.abort();
    await link.dispose();
    await server.close();
  }
  return [...new Set(problems)];
}

type Methods = NonNullable<Transport["connector"]["signIn"]>;
type SignInLink = Parameters<Methods["start"]>[1];

function signInSteps(
  { definition }: Transport,
  signIn: Methods,
  link: SignInLink,
): (() => Promise<SignInReply | string>)[] {
  const visit: SignInVisit<never> = {
    returnUrl: `https://gate.example/connect/${definition.id}`,
    state: "ticket",
    conceal: () => undefined,
    connect: async () => ({ refusal: HOSTILE }),
  };
  const back = (query: Record<string, string>) => () =>
    signIn.comeBack(visit, link, new URLSearchParams({ state: "ticket", ...query }));
  return [
    () => signIn.start(visit, link),
    back({ code: HOSTILE }),
    back({ error: HOSTILE, error_description: HOSTILE }),
    back({}),
    ...(signIn.choose === undefined ? [] : [() => signIn.choose?.(visit, link, HOSTILE) ?? Promise.reject()]),
  ];
}

function judgeStep(reply: SignInReply | string): string[] {
  if (typeof reply === "string") return URL.canParse(reply) ? [] : [`signIn: ${reply} is not an address`];
  switch (reply.kind) {
    case "elsewhere":
      return judgeStep(reply.url);
    case "refused":
      return reply.description === "" ? ["signIn: a refusal has no description"] : [];
    case "choice":
      return reply.items.length === 0 ? ["signIn: the choice is empty"] : [];
    case "connected":
      return ["signIn: it connected although the credentials were refused"];
  }
}

/**
 * For a messenger that reports too many requests over a persistent connection: the resulting error must say how long
 * to wait.
 */
export function probeSocketFlood({ socketFlood }: ConformanceCases): string[] {
  if (socketFlood === undefined) return [];
  const error = socketFlood();
  const waits = error instanceof TransportError && typeof error.retry === "object" && error.retry.afterMs > 0;
  return waits ? [] : ["too many requests on the connection must cause an error with a delay"];
}

async function withSession<T>(
  transport: Transport,
  cases: ConformanceCases,
  fault: Fault,
  work: (session: Session, link: AnyLink) => Promise<T>,
): Promise<T> {
  const server = await startFaultyServer(fault, cases.flood);
  const link = linkTo(server.url, cases);
  const session = await transport.connector.open(link);
  try {
    return await work(session, link);
  } finally {
    link.abort();
    await session.close();
    await link.dispose();
    await server.close();
  }
}

/** Undefined if it takes longer. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return Promise.race([work, sleep(ms, undefined, { ref: false })]);
}
