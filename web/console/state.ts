import { computed, signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { NoConnection, Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { inOrder } from "../kit/in-order.ts";
import { type ConsoleOperation, call, requestOf } from "./client.ts";
import { refusals } from "./texts/texts.ts";

type Session = Operations["getSession"]["output"];
export type Account = Operations["listConsoleAccounts"]["output"][number];

/** Undefined: not known yet; null: not signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** The login of the person whose session ended while the page was open. */
export const ended = signal<string | null>(null);
export const accounts = signal<readonly Account[]>([]);
/** The selected account; null: all accounts. */
export const account = signal<string | null>(sessionStorage.getItem("trunkline-account"));
/** The requests of the view, for use with curl. */
export const asked = signal<ReadonlyMap<string, string>>(new Map());

/** Whether the person may change anything. */
export const mayAct = computed(() => session.value?.operator.role !== "viewer");
export const isOperator = computed(() => session.value?.operator.role === "operator");

export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

function readRoute(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").map(decodeURIComponent), query: new URLSearchParams(query) };
}

/** The current place: the fragment, so that every place has an address. */
export const route = signal(readRoute());
addEventListener("hashchange", () => {
  route.value = readRoute();
});

export function hrefTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#/${parts.map(encodeURIComponent).join("/")}${search}`;
}

/** Changes the view's filters without a new history entry. */
export function setQuery(query: Readonly<Record<string, string>>): void {
  history.replaceState(null, "", hrefTo(route.value.parts, query));
  route.value = readRoute();
}

export function chooseAccount(id: string | null): void {
  account.value = id;
  if (id === null) sessionStorage.removeItem("trunkline-account");
  else sessionStorage.setItem("trunkline-account", id);
}

const PLACE = "trunkline-place";

/** Before the browser goes to the provider: where the person is in the console. */
export function keepPlace(): void {
  sessionStorage.setItem(PLACE, location.hash);
}

/**
 * If the browser has come back from the provider, finishes the sign-in, and removes the provider's query from the
 * address. Returns why it failed.
 */
export async function finishProviderSignIn(): Promise<string | undefined> {
  const query = location.search.slice(1);
  if (!new URLSearchParams(query).has("state")) return undefined;
  history.replaceState(null, "", location.pathname + (sessionStorage.getItem(PLACE) ?? ""));
  sessionStorage.removeItem(PLACE);
  route.value = readRoute();
  return call("returnFromProvider", { body: { query } }, { cookie: { csrf: "", background: false } }).then(
    () => undefined,
    messageOf,
  );
}

/** Ends the session here, and at the provider if it was opened there. */
export async function signOut(): Promise<void> {
  const { url } = await ask("signOut", {});
  if (url !== null) return location.assign(url);
  session.value = null;
  location.hash = "";
}

/** Determines who is signed in, and what they may see. */
export async function begin(): Promise<void> {
  session.value = await call("getSession", {}, { cookie: { csrf: "", background: false } }).catch(
    (error: unknown) => {
      if (error instanceof Refusal && error.code === "INVALID_APIKEY") return null;
      throw error;
    },
  );
  if (session.value !== null) await loadAccounts();
}

export async function loadAccounts(): Promise<void> {
  accounts.value = await ask("listConsoleAccounts", {});
  const [only] = accounts.value;
  const isKnown = accounts.value.some(({ id }) => String(id) === account.value);
  if (accounts.value.length === 1 && only !== undefined) chooseAccount(String(only.id));
  else if (!isKnown) chooseAccount(null);
}

/** Accounts that were not among those of the person when they were first shown. */
const missed = new Set<number>();

/** The name of an account; its id, as long as it has no name or is not one of the person's accounts. */
export function accountName(id: number): string {
  const known = accounts.value.find((each) => each.id === id);
  if (known === undefined && !missed.has(id)) {
    missed.add(id);
    // It may have been created after the page was opened; a deleted one stays unknown.
    loadAccounts().catch(() => undefined);
  }
  return known?.name || String(id);
}

interface AskOptions {
  readonly signal?: AbortSignal;
  readonly background?: boolean;
}

/** A request of the session; if that has ended, the page asks to sign in again. */
export async function ask<Id extends ConsoleOperation>(
  id: Id,
  input: Operations[Id]["input"],
  { signal: abort, background = false }: AskOptions = {},
): Promise<Operations[Id]["output"]> {
  const { method, address } = requestOf(id, input);
  if (method === "GET") asked.value = new Map(asked.value).set(id, address);
  try {
    const cookie = { csrf: session.value?.csrf ?? "", background };
    return await call(id, input, { cookie, ...(abort === undefined ? {} : { signal: abort }) });
  } catch (error) {
    if (error instanceof Refusal && error.code === "INVALID_APIKEY" && session.value !== null) {
      ended.value = session.value?.operator.login ?? "";
      session.value = null;
    }
    throw error;
  }
}

/** The data of a view: `data` stays while they are reloaded, and if that fails. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Loads at once, whenever the request changes, and at an interval in milliseconds; null loads nothing. */
export function useLoad<Id extends ConsoleOperation>(
  id: Id,
  input: Operations[Id]["input"] | null,
  every = 0,
): Loaded<Operations[Id]["output"]> {
  const [state, setState] = useState<{ key: string; data?: Operations[Id]["output"]; error?: unknown }>({
    key: "",
  });
  const [turn, setTurn] = useState(0);
  const key = input === null ? "" : JSON.stringify(input);
  const question = useRef(input);
  question.current = input;
  useEffect(() => {
    const stop = new AbortController();
    const order = inOrder();
    const load = async (background: boolean): Promise<void> => {
      const wanted = question.current;
      if (wanted === null) return;
      const mayTake = order();
      try {
        const data = await ask(id, wanted, { signal: stop.signal, background });
        if (!stop.signal.aborted && mayTake()) setState({ key, data });
      } catch (error) {
        if (!stop.signal.aborted && mayTake())
          setState((before) => (before.key === key ? { ...before, error } : { key, error }));
      }
    };
    void load(false);
    const timer = every > 0 ? setInterval(() => void load(true), every) : undefined;
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [id, key, every, turn]);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    reload: () => setTurn((now) => now + 1),
  };
}

/** Runs one action at a time, and keeps the error of the last one. */
export function useAct(): {
  readonly busy: boolean;
  readonly problem: string | undefined;
  readonly run: (work: () => Promise<unknown>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  return {
    busy,
    problem,
    run(work) {
      setBusy(true);
      setProblem(undefined);
      work()
        .catch((error: unknown) => setProblem(messageOf(error)))
        .finally(() => setBusy(false));
    },
  };
}

/** Codes with several causes, of which the service's own text names one. */
const WITH_CAUSE: ReadonlySet<string> = new Set([
  "FORBIDDEN",
  "INVALID_GRANT",
  "NOT_FOUND",
  "QUOTA_EXCEEDED",
  "UNAVAILABLE",
  "VALIDATION_ERROR",
]);

/**
 * The text of a failed request in the reader's language, with the service's text or the name of the field if it says
 * more; errors without a text of ours keep the service's.
 */
export function messageOf(error: unknown): string {
  if (error instanceof NoConnection) return refusals.value.noConnection;
  if (!(error instanceof Refusal)) return String((error as Error).message);
  const [field] = error.fields;
  const cause = field === undefined ? error.message : faultOf(field);
  const text = refusalText(error.code);
  if (text === undefined) return cause;
  return WITH_CAUSE.has(error.code) ? `${text} ${cause}` : text;
}

function faultOf({ field, message }: Refusal["fields"][number]): string {
  const text = refusalText(message);
  return text === undefined ? `${field} ${message}` : `${field}: ${text}`;
}

/** The text for a code, or for the service's message about a field. */
export function refusalText(key: string): string | undefined {
  const known: Readonly<Record<string, string>> = refusals.value;
  return known[key];
}
