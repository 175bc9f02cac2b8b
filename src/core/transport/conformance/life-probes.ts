import { setTimeout as sleep } from "node:timers/promises";
import type { PageReply, PageVisit, Session, Transport } from "../connector.ts";
import { LoginRefused, TransportError } from "../errors.ts";
import { LOGIN_STEPS, type LoginStepKind } from "../login.ts";
import { FAULTS, type Fault, startFaultyServer } from "./faults.ts";
import { type AnyLink, linkTo } from "./link.ts";
import { type ConformanceCases, findLeaks, watchUnhandled } from "./probes.ts";

/** Longer than anything that was told to end may take. */
const END_LIMIT_MS = 5_000;
const LOGIN_LIMIT_MS = 30_000;
/** Long enough for what goes on although it was ended to show. */
const AFTERMATH_MS = 50;

/** Nobody is being linked: each step of the login is refused as not expected, or for want of an answer. */
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
    () => "it was taken",
    (error: unknown) => (error instanceof LoginRefused ? error.reason : String(error)),
  );
  const outcome = await inTime(answer, LOGIN_LIMIT_MS);
  const isKnown = definition.capabilities.login.includes(kind);
  const fine = isKnown ? ["not_expected", "unavailable"] : ["not_expected"];
  return fine.includes(outcome ?? "") ? [] : [`answer ${kind}: ${outcome ?? "nothing happened"}`];
}

/** The channel closes or the node loses it: what is under way ends soon, and nothing leaves any more. */
export async function probeAbort(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  return withSession(transport, cases, "no answer", async (session, link) => {
    const sending = session.send(cases.message, link.signal).then(
      () => "send: it succeeded without an answer",
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
    await sleep(AFTERMATH_MS);
    return [
      outcome === undefined ? "send went on after the link had ended" : outcome,
      closed === undefined ? "close took longer than five seconds" : null,
      link.exchanges.length > before ? "a request left after the link had ended" : null,
      link.events.length > told ? "an event came after the link had ended" : null,
    ].filter((problem) => problem !== null);
  });
}

/** A send may have to wait for a line that never stands; then there is nothing to wait for. */
async function nextExchange(link: AnyLink): Promise<void> {
  for (let looks = 0; link.exchanges.length === 0 && looks < 20; looks++) await sleep(5);
}

/** Every way to take a channel off its messenger ends, whatever the messenger does. */
export async function probeLeaving(
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
        ended === undefined ? `logout hangs after: ${fault}` : "",
        left === undefined ? `leave hangs after: ${fault}` : "",
        ...findLeaks(transport, cases, link, []),
      ].filter((problem) => problem !== "");
    });
    unhandled.stop();
    problems.push(...found, ...unhandled.problems());
  }
  return problems;
}

/** Whether it ended, one way or the other, in good time. */
function settled(work: Promise<unknown>, limitMs: number): Promise<string | undefined> {
  return inTime(
    work.then(
      () => "done",
      () => "refused",
    ),
    limitMs,
  );
}

/** What a person, or somebody else, may bring to the page. */
const HOSTILE = '"><script>alert(1)</script><b id=probe>';

/** The page answers each visit with markup or a redirect, escapes what came in, and has no scripts. */
export async function probePage(transport: Transport, cases: ConformanceCases): Promise<string[]> {
  const { page } = transport.connector;
  if (page === undefined) return [];
  const problems: string[] = [];
  for (const fault of ["500", "garbage", "refused connection"] as const) {
    const server = await startFaultyServer(fault);
    const link = linkTo(server.url, cases);
    for (const visit of visits(transport)) {
      const reply = page(visit as PageVisit<never>, link as Parameters<typeof page>[1]);
      const outcome = await inTime(
        reply.then(judgeReply, (error: unknown) => [`page: ${String(error)}`]),
        2 * END_LIMIT_MS,
      );
      problems.push(...(outcome ?? ["page: nothing happened"]));
    }
    problems.push(...findLeaks(transport, cases, link, []));
    link.abort();
    await link.dispose();
    await server.close();
  }
  return [...new Set(problems)];
}

function visits({ definition }: Transport): PageVisit<unknown>[] {
  const hostile = Object.fromEntries(
    [...Object.keys(definition.credentials.properties), "error", "error_description", "state"].map((name) => [
      name,
      HOSTILE,
    ]),
  );
  const base = {
    url: `https://gate.example/connect/${definition.id}/ticket`,
    returnUrl: `https://gate.example/connect/${definition.id}`,
    state: "ticket",
    isLinked: false,
    conceal: () => undefined,
    connect: async () => ({ refusal: HOSTILE }),
  };
  const none = new URLSearchParams();
  return [
    { ...base, method: "GET", query: none, form: none },
    { ...base, method: "GET", query: none, form: none, isLinked: true },
    { ...base, method: "GET", query: new URLSearchParams(hostile), form: none },
    { ...base, method: "GET", query: new URLSearchParams({ code: HOSTILE, state: "ticket" }), form: none },
    { ...base, method: "POST", query: none, form: none },
    { ...base, method: "POST", query: none, form: new URLSearchParams(hostile) },
  ];
}

function judgeReply(reply: PageReply): string[] {
  if ("redirect" in reply)
    return URL.canParse(reply.redirect) ? [] : [`page: ${reply.redirect} is no address`];
  const { title, html, status = 200 } = reply;
  return [
    title === "" ? "page: it has no title" : "",
    /<script|<b id=probe|\son\w+=/i.test(html) ? "page: it shows what came in without escaping it" : "",
    status >= 200 && status < 500 ? "" : `page: it answers ${status}`,
  ].filter((problem) => problem !== "");
}

/** A messenger on a lasting connection says "too many" there: the error that becomes of it says how long to wait. */
export function probeSocketFlood({ socketFlood }: ConformanceCases): string[] {
  if (socketFlood === undefined) return [];
  const error = socketFlood();
  const waits = error instanceof TransportError && typeof error.retry === "object" && error.retry.afterMs > 0;
  return waits ? [] : ["a flood on the connection must say how long to wait"];
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

/** Undefined when it takes longer. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return Promise.race([work, sleep(ms, undefined, { ref: false })]);
}
