import { signal } from "@preact/signals";
import { NoConnection, pause, Refusal } from "../../kit/api/client.ts";
import type { Operations } from "../../kit/api/generated.ts";
import { toast } from "../../kit/toast.tsx";
import { newUuid } from "../../kit/uuid.ts";
import type { Recipient } from "../list/recipient.ts";
import {
  type Chat,
  type Message,
  type Pending,
  placed,
  type StoredFile,
  type WireMessage,
} from "../model.ts";
import { isShown, openChat } from "../navigation.ts";
import { announceSent } from "../parent.ts";
import { problemOf } from "../problem.ts";
import { ask, isSessionOver, noteFailure, session, trouble } from "../session.ts";
import { bubbleWords } from "../texts/texts.ts";
import { takeAnswer } from "./answer.ts";
import { isRecording, moveTray } from "./chosen-files.ts";
import { moveDraft } from "./compose.ts";
import { FileLost } from "./file-lost.ts";
import { type Kept, readOutbox, tabStore, writeOutbox } from "./kept-outbox.ts";

type Body = Operations["sendChatMessage"]["input"]["body"];
type Written = Operations["sendChatMessage"]["output"];

/** The file of another message, which the service has. */
export interface ForwardedFile extends StoredFile {
  readonly messageId: string;
}

/** A message to send: one of text, file and template, or a file with a text as its caption. */
export interface Outgoing {
  /** Our id of the chat, or the key of one that does not exist yet. */
  readonly place: string;
  readonly to: Recipient | null;
  readonly chatType: string;
  readonly text?: string;
  readonly file?: File;
  /** In place of `file`. */
  readonly forwarded?: ForwardedFile;
  readonly template?: { readonly id: string; readonly values: string[]; readonly preview: string };
  readonly quoted: WireMessage | null;
  readonly keyboard?: Record<string, unknown>;
}

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly what: Outgoing;
  readonly state: Pending;
  readonly preview: string | null;
  readonly abort: AbortController;
}

/** Messages that the service has not accepted yet, in the order of writing. */
const entries = signal<readonly Entry[]>([]);
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 30_000;
/** Places that this page cannot reach, because its session is for another chat: they wait for a page that can. */
const outOfReach = new Set<string>();
const WAITING: Pending = { state: "waiting", progress: 0, problem: null };

/** Queues a message. It is shown at once, and sent as soon as there is a connection, after earlier ones. */
export function send(what: Outgoing): void {
  const isPicture = what.file?.type.startsWith("image/") === true;
  const entry: Entry = {
    id: newUuid(),
    at: new Date().toISOString(),
    what,
    state: WAITING,
    preview: what.file !== undefined && isPicture ? URL.createObjectURL(what.file) : null,
    abort: new AbortController(),
  };
  outOfReach.delete(what.place);
  entries.value = [...entries.value, entry];
  keep();
  work();
}

/** Removes and returns what was not sent yet: a file on its way, or something that was refused. */
export function discard(id: string): Outgoing | undefined {
  const entry = entries.value.find((each) => each.id === id);
  entry?.abort.abort();
  drop(id);
  return entry?.what;
}

/**
 * Restores what was not sent when the page was closed or reloaded, and continues to send it; refused messages wait for
 * the agent. The service accepts each id once, so that a message in transit at that moment is not sent twice. Call it
 * when the session is open.
 */
export function resumeOutbox(): void {
  const here = new Set(entries.value.map(({ id }) => id));
  const kept = readOutbox<Omit<Outgoing, "file">>(owner(), tabStore(), Date.now()).filter(
    ({ id }) => !here.has(id),
  );
  const restored = kept.map(
    ({ id, at, what, ...loss }): Entry => ({
      id,
      at,
      what,
      state: stateOf(loss),
      preview: null,
      abort: new AbortController(),
    }),
  );
  entries.value = [...restored, ...entries.value];
  work();
}

/** A kept file is lost; `refusal` is undefined in what earlier versions of the page have stored. */
function stateOf({ fileName, refusal }: Pick<Kept<Outgoing>, "fileName" | "refusal">): Pending {
  if (fileName !== null) return stuck("lost", bubbleWords.value.fileLost(fileName));
  return refusal == null ? WAITING : stuck("refused", refusal);
}

const stuck = (state: "refused" | "lost", problem: string): Pending => ({ state, progress: 0, problem });

function keep(): void {
  const kept = entries.value.map(({ id, at, what: { file, ...what }, state: { state, problem } }) => ({
    id,
    at,
    what,
    fileName: file?.name ?? null,
    refusal: state === "refused" ? problem : null,
  }));
  writeOutbox(owner(), tabStore(), kept);
}

const owner = (): string => session.value?.user.id ?? "";

/** Sends what was refused once more. */
export function sendAgain(id: string): void {
  const entry = entries.value.find((each) => each.id === id);
  if (entry === undefined) return;
  outOfReach.delete(entry.what.place);
  change(id, WAITING);
  keep();
  work();
}

/** Tries to send what the session could not reach: in a place that is opened now, or everywhere with a new session. */
export function reachAgain(place?: string): void {
  if (place === undefined) outOfReach.clear();
  else outOfReach.delete(place);
  work();
}

/** Whether a message of this place was refused or lost, and waits for the agent. */
export function isStuckIn(place: string): boolean {
  return entries.value.some(({ what, state }) => what.place === place && isStuck(state));
}

/** The waiting messages of a chat, for its thread. */
export function waitingIn(place: string): readonly Message[] {
  return entries.value.filter(({ what }) => what.place === place).map(shown);
}

/**
 * Moves everything that is unsent in one place to a chat, and opens the chat if that place is open. For a chat that the
 * first message has created, and for a person's other chat in which the service has stored a message.
 */
export function moveTo(from: string, chat: Chat): void {
  moveDraft(from, chat.id);
  moveTray(from, chat.id);
  entries.value = entries.value.map((entry) =>
    entry.what.place === from ? { ...entry, what: { ...entry.what, place: chat.id, to: null } } : entry,
  );
  keep();
  if (isShown(from)) void openChat(chat.id);
}

/** Messages that the stream has reported before their response arrived, by their ids in the page. */
const reported = new Map<string, Written>();

/** Call it with each message of the stream. */
export function takeReport(written: Written): void {
  const { client_id: id } = written.message;
  const entry = entries.value.find((each) => each.id === id);
  if (entry === undefined) return;
  // Accepted, although its response said otherwise.
  if (isStuck(entry.state)) finish(entry, written);
  else reported.set(entry.id, written);
}

/** Ids of the messages that are being sent. */
const delivering = new Set<string>();

/** One at a time in each chat, so that they arrive in the order of writing. */
function work(): void {
  for (const place of new Set(entries.value.map(({ what }) => what.place))) void workIn(place);
}

async function workIn(place: string): Promise<void> {
  const entry = nextOf(place);
  if (entry === undefined) return;
  delivering.add(entry.id);
  await deliver(entry.id);
  delivering.delete(entry.id);
  // The rest of this place may have moved to another one.
  work();
}

/** Undefined also while a message of this place is being sent. */
function nextOf(place: string): Entry | undefined {
  if (outOfReach.has(place)) return undefined;
  const waiting = entries.value.filter(({ what, state }) => what.place === place && !isStuck(state));
  return waiting.some(({ id }) => delivering.has(id)) ? undefined : waiting[0];
}

function isStuck({ state }: Pending): boolean {
  return state === "refused" || state === "lost";
}

/** A file is uploaded once, however often its message is sent. */
interface Upload {
  id: string | null;
}

async function deliver(id: string): Promise<void> {
  const upload: Upload = { id: null };
  for (let tries = 0; ; tries++) {
    const entry = entries.value.find((each) => each.id === id);
    if (entry === undefined) return;
    try {
      finish(entry, await submit(entry, upload));
    } catch (error) {
      if (entry.abort.signal.aborted) return;
      const written = reported.get(id);
      if (written !== undefined) finish(entry, written);
      else if (!(await waitToRepeat(entry, error, tries))) return;
    }
  }
}

/** The message is stored in a chat. The stream may be ahead: it moves once the messenger has named the person. */
function finish({ id, what }: Entry, answer: Written): void {
  const { message, chat } = reported.get(id) ?? answer;
  takeAnswer(message, chat);
  drop(id);
  announceSent(message, chat);
  if (chat.id !== what.place) moveTo(what.place, chat);
}

/** False: the message waits for the agent, or for a page that reaches its chat. */
async function waitToRepeat({ id, what, abort }: Entry, error: unknown, tries: number): Promise<boolean> {
  if (error instanceof NoConnection || isSessionOver(error)) {
    change(id, WAITING);
    do await pause(RETRY_MS, abort.signal);
    while (trouble.value === "over" && !abort.signal.aborted);
    return true;
  }
  if (error instanceof Refusal && error.isTemporary) {
    change(id, { ...WAITING, problem: bubbleWords.value.repeated });
    const growing = Math.min(RETRY_MS * 2 ** tries, MAX_RETRY_MS);
    await pause(Math.max((error.retryAfter ?? 0) * 1000, growing), abort.signal);
    return true;
  }
  if (error instanceof Refusal && error.code === "CHAT_NOT_FOUND" && !isShown(what.place)) {
    change(id, WAITING);
    outOfReach.add(what.place);
    return false;
  }
  const state = stateAfter(error);
  change(id, state);
  keep();
  if (!isShown(what.place)) toast(`${bubbleWords.value.error}. ${state.problem}`);
  return false;
}

function stateAfter(error: unknown): Pending {
  return error instanceof FileLost
    ? stuck("lost", bubbleWords.value.fileChanged(error.fileName))
    : stuck("refused", problemOf(error));
}

async function submit({ id, what, state: { problem }, abort }: Entry, upload: Upload): Promise<Written> {
  const { to, place, text, file, forwarded, template, quoted, keyboard } = what;
  if (file !== undefined && upload.id === null) {
    const token = session.value?.token ?? "";
    const onProgress = (progress: number) => change(id, { state: "uploading", progress, problem });
    try {
      upload.id = (await (await uploading())(file, { token, signal: abort.signal, onProgress })).file_id;
    } catch (error) {
      await noteFailure(error, token);
      throw error;
    }
  }
  change(id, { state: "sending", progress: 1, problem });
  const body: Body = {
    id,
    ...(to === null ? { chat_id: place } : { to }),
    ...(text === undefined ? {} : { text }),
    ...(upload.id === null ? {} : { file_id: upload.id }),
    ...(forwarded === undefined ? {} : { file_of_message_id: forwarded.messageId }),
    ...(file !== undefined && isRecording(file) ? { voice: true } : {}),
    ...(template === undefined ? {} : { template: { id: template.id, values: template.values } }),
    ...(quoted === null ? {} : { quoted_message_id: quoted.id }),
    ...(keyboard === undefined ? {} : { keyboard }),
  };
  return ask("sendChatMessage", { body }, abort.signal);
}

/** Loaded with the first file, or preloaded. Throws `NoConnection`. */
async function uploading() {
  const parts = await import("./upload.ts").catch(() => null);
  if (parts === null) throw new NoConnection("The page cannot load its part for files");
  return parts.upload;
}

function change(id: string, state: Pending): void {
  entries.value = entries.value.map((entry) => (entry.id === id ? { ...entry, state } : entry));
}

function drop(id: string): void {
  const preview = entries.value.find((entry) => entry.id === id)?.preview ?? null;
  if (preview !== null) setTimeout(() => URL.revokeObjectURL(preview), 60_000);
  entries.value = entries.value.filter((entry) => entry.id !== id);
  reported.delete(id);
  keep();
}

function shown({ id, at, what, state, preview }: Entry): Message {
  const { file, forwarded, quoted } = what;
  const kind = forwarded?.kind ?? (preview !== null ? "image" : "document");
  const refused = isStuck(state) ? { code: "", description: state.problem ?? "" } : null;
  const wire: WireMessage = {
    id,
    chat_id: what.place,
    channel_id: "",
    client_id: id,
    order: "~",
    at,
    direction: "out",
    type:
      file !== undefined || forwarded !== undefined
        ? kind
        : what.template !== undefined
          ? "wapi_template"
          : "text",
    status: refused === null ? "queued" : "error",
    error: refused,
    text: what.text ?? what.template?.preview ?? null,
    file:
      file === undefined
        ? (forwarded ?? null)
        : {
            url: preview ?? "",
            name: file.name,
            mime_type: file.type,
            size: file.size,
            kind,
            is_external: false,
            state: "waiting",
          },
    author: { id: session.value?.user.id ?? null, name: session.value?.user.name ?? null },
    from_app: true,
    sender: null,
    buttons: [],
    quoted:
      quoted === null
        ? null
        : {
            id: quoted.id,
            type: quoted.type,
            text: quoted.text,
            author_name: quoted.author?.name ?? quoted.sender?.name ?? null,
            direction: quoted.direction,
            file_url: null,
            unsupported: null,
            link: null,
          },
    unsupported: null,
    reactions: [],
    template: null,
    edited_at: null,
    deleted_at: null,
    old: null,
    can_edit_until: null,
    can_edit_file: false,
    can_delete: false,
    can_resend: false,
    can_react: false,
  };
  return placed(wire, what.chatType, state);
}
