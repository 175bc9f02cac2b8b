import { signal } from "@preact/signals";
import type {
  ActName,
  Chat,
  Conversation,
  Frame,
  Person,
  PhoneFacts,
  Trouble,
} from "../../sandbox/phone/shape.ts";
import { inOrder } from "../kit/in-order.ts";
import { byUse } from "../kit/messenger.tsx";
import { addressOf, ask, listOf, Unreachable } from "./api.ts";
import { followLive } from "./live.ts";
import type { Pane } from "./pane.ts";
import { markSeen } from "./seen.ts";

/** The state of the page: not loaded, ready, or offline. */
export const trouble = signal<"offline" | null>(null);
export const messengers = signal<readonly PhoneFacts[] | null>(null);
export const current = signal<PhoneFacts | null>(null);
export const people = signal<readonly Person[] | null>(null);
export const panes = signal<readonly Pane[]>([]);
/** The phone that the list of people and the troubles refer to. */
export const active = signal(0);
export const chats = signal<ReadonlyMap<string, readonly Chat[]>>(new Map());
export const conversations = signal<ReadonlyMap<string, Conversation>>(new Map());
export const frames = signal<ReadonlyMap<string, Frame>>(new Map());
export const troubles = signal<readonly Trouble[]>([]);
/** The last action of a person, as a curl command. */
export const lastAct = signal<string | null>(null);

const KEPT_FRAMES = 400;
const KEPT_ROUTINE = 100;

/** Loads the page; may be repeated after `offline`. */
export async function start(): Promise<void> {
  trouble.value = null;
  try {
    const all = await listOf<PhoneFacts>(addressOf());
    messengers.value = all.toSorted((a, b) => byUse(labelled(a), labelled(b)));
    const { messenger, places } = readHash();
    const found = messengers.value.find(({ name }) => name === messenger) ?? messengers.value.find(isUsual);
    if (found !== undefined) await choose(found, places);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    trouble.value = "offline";
  }
}

function labelled({ name, title }: PhoneFacts) {
  return { transport: name, label: title.en };
}

/** The demo account has a channel of this messenger. */
function isUsual({ name }: PhoneFacts): boolean {
  return name === "telegram";
}

/** Opens phones of a messenger. */
export async function choose(facts: PhoneFacts, places: readonly Pane[] = []): Promise<void> {
  current.value = facts;
  people.value = null;
  frames.value = new Map();
  troubles.value = [];
  conversations.value = new Map();
  chats.value = new Map();
  const here = await loadPeople();
  // Another messenger was selected meanwhile.
  if (current.value !== facts) return;
  const known = places.filter(({ person }) => here.some(({ id }) => id === person));
  const usual = here.at(-1);
  setPanes(known.length > 0 ? known : usual === undefined ? [] : [{ person: usual.id, chat: null }]);
  await loadTroubles();
}

const peopleAsked = inOrder();

export async function loadPeople(): Promise<readonly Person[]> {
  const facts = current.value;
  if (facts === null) return [];
  const mayTake = peopleAsked();
  const found = await listOf<Person>(addressOf(facts.name, "people"));
  if (current.value === facts && mayTake()) people.value = found;
  return found;
}

const troublesAsked = inOrder();

export async function loadTroubles(): Promise<void> {
  const facts = current.value;
  if (facts === null) return;
  const mayTake = troublesAsked();
  const found = await listOf<Trouble>(addressOf(facts.name, "troubles"));
  if (current.value === facts && mayTake()) troubles.value = found;
}

/** Opens these phones, and follows their changes. */
export function setPanes(next: readonly Pane[]): void {
  const before = new Set(panes.value.map(({ person }) => person));
  panes.value = next;
  active.value = Math.min(active.value, Math.max(0, next.length - 1));
  writeHash();
  void refresh();
  const isSame = next.length === before.size && next.every(({ person }) => before.has(person));
  if (!isSame || !isFollowing()) follow();
}

export function setPane(index: number, pane: Pane): void {
  setPanes(panes.value.map((each, at) => (at === index ? pane : each)));
}

let followed: { readonly messenger: string; readonly stop: () => void } | null = null;

function isFollowing(): boolean {
  return followed?.messenger === current.value?.name;
}

function follow(): void {
  followed?.stop();
  const messenger = current.value?.name;
  if (messenger === undefined) return;
  const stop = followLive(messenger, new Set(panes.value.map(({ person }) => person)), {
    frames: keepFrames,
    changed: refreshSoon,
  });
  followed = { messenger, stop };
}

/** By number, so that entries repeated after an interruption appear once. */
function keepFrames(items: readonly Frame[]): void {
  const all = new Map([...frames.value, ...items.map((frame) => [frame.id, frame] as const)]);
  const kept = (isRoutine: boolean) => [...all].filter(([, { routine }]) => routine === isRoutine);
  frames.value = new Map([...kept(false).slice(-KEPT_FRAMES), ...kept(true).slice(-KEPT_ROUTINE)]);
}

let isWaiting = false;

/** Many changes may arrive at once: one refresh is enough. */
function refreshSoon(): void {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    void refresh();
    void loadTroubles().catch(() => undefined);
  }, 60);
}

/** Reloads the content of all open phones. */
export async function refresh(): Promise<void> {
  const messenger = current.value?.name;
  if (messenger === undefined) return;
  await Promise.all(panes.value.map((pane) => refreshPane(messenger, pane))).catch(() => undefined);
}

/** Per chat and person's list: discards responses that arrive too late. */
const paneOrders = new Map<string, () => () => boolean>();

function askOf(key: string): () => boolean {
  const order = paneOrders.get(key) ?? inOrder();
  paneOrders.set(key, order);
  return order();
}

async function refreshPane(messenger: string, { person, chat }: Pane): Promise<void> {
  if (chat !== null) {
    const mayTake = askOf(`${messenger} ${keyOf({ person, chat })}`);
    const read = await ask<Conversation>("GET", seatAddress(messenger, { person, chat }));
    if (current.value?.name === messenger && mayTake()) {
      conversations.value = new Map(conversations.value).set(keyOf({ person, chat }), read);
      markSeen(messenger, { person, chat }, read.received);
    }
  }
  const mayTake = askOf(`${messenger} ${person}`);
  // What a list shows of each chat is needed only while the list is shown.
  const newest = chat === null ? "?newest=1" : "";
  const found = await listOf<Chat>(`${addressOf(messenger, "people", person, "chats")}${newest}`);
  if (current.value?.name === messenger && mayTake()) chats.value = new Map(chats.value).set(person, found);
}

export function keyOf({ person, chat }: Pane): string {
  return JSON.stringify([person, chat]);
}

function seatAddress(messenger: string, { person, chat }: Pane): string {
  return addressOf(messenger, "people", person, "chats", chat ?? "");
}

export function fileAddress(pane: Pane, message: string, index: number): string {
  return `${seatAddress(current.value?.name ?? "", pane)}/messages/${encodeURIComponent(message)}/files/${index}`;
}

interface Done {
  readonly request: { readonly route: string; readonly body: object };
  readonly answer: unknown;
}

/** Performs an action of the phone's person. Returns the messenger's response. */
export async function act(pane: Pane, name: ActName, given: object = {}): Promise<unknown> {
  const messenger = current.value?.name ?? "";
  const done = await ask<Done>("POST", `${seatAddress(messenger, pane)}/${name}`, given);
  lastAct.value = curlOf(messenger, done.request);
  await refresh();
  return done.answer;
}

/** Files are omitted, because they are too long for a terminal. */
function curlOf(messenger: string, { route, body }: Done["request"]): string {
  const [method = "POST", path = ""] = route.split(" ");
  const text = JSON.stringify(body, (name, value: unknown) => (name === "base64" ? undefined : value));
  const data = text === "{}" ? "" : ` -d '${text.replaceAll("'", "'\\''")}'`;
  return `curl -X ${method} ${location.origin}/admin/${messenger}${path}${data}`;
}

function readHash(): { readonly messenger: string; readonly places: readonly Pane[] } {
  const [messenger = "", ...rest] = location.hash.slice(1).split("+");
  const places = rest.map((place) => {
    const [person = "", chat] = place.split("/").map(decodeURIComponent);
    return { person, chat: chat ?? null };
  });
  return { messenger, places };
}

/** The address contains the open phones, so that it can be saved and shared. */
function writeHash(): void {
  const places = panes.value.map(({ person, chat }) =>
    [person, ...(chat === null ? [] : [chat])].map(encodeURIComponent).join("/"),
  );
  history.replaceState(null, "", `#${[current.value?.name ?? "", ...places].join("+")}`);
}
