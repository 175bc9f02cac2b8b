import { runCeremony } from "./ceremony.ts";
import { originsOf, SITE, serviceOf } from "./origins.ts";

// The browser ends this script while nothing happens, so everything it knows is in the session's storage, which is in
// memory only.

/** The limit of a request, and of an answer, as JSON. */
const MAX_LENGTH = 16 * 1024;
const KEY = "ceremony";

/** A ceremony that is under way, and the document that has asked for it. */
interface Ceremony {
  readonly tabId: number;
  readonly request: object;
  readonly isBegun: boolean;
  readonly asker: { readonly tabId: number; readonly documentId: string; readonly id: string };
}

let work: Promise<unknown> = Promise.resolve();

/** Events are processed one after another. */
function inTurn(task: () => Promise<unknown>): void {
  work = work.then(task).catch((error: unknown) => console.error(error));
}

chrome.runtime.onMessage.addListener((message, sender) => {
  if (sender.id !== chrome.runtime.id || !isRecord(message)) return;
  if (message["kind"] === "ask") inTurn(() => begin(message, sender));
  if (message["kind"] === "result") inTurn(() => finish(message, sender));
});
chrome.tabs.onUpdated.addListener((tabId, { status }) => {
  if (status === "complete") inTurn(() => enter(tabId));
});
chrome.tabs.onRemoved.addListener((tabId) => inTurn(() => abandon(tabId)));
chrome.permissions.onAdded.addListener(({ origins }) => inTurn(() => allow(origins ?? [])));
chrome.permissions.onRemoved.addListener(() => inTurn(register));
chrome.runtime.onInstalled.addListener(() => inTurn(register));
chrome.runtime.onStartup.addListener(() => inTurn(register));

/** A page asks for the passkey: opens WhatsApp's site. Only pages of a service that the person has allowed may ask. */
async function begin(message: Readonly<Record<string, unknown>>, sender: ChromeSender): Promise<void> {
  const { origin, documentId, tab } = sender;
  const { id, request } = message;
  const service = serviceOf(origin);
  if (service === null || documentId === undefined || tab?.id === undefined || typeof id !== "string") return;
  const asker = { tabId: tab.id, documentId, id };
  const isAllowed = await chrome.permissions.contains(originsOf(service));
  if (!isAllowed || !isRequest(request)) return tell(asker, { reason: "failed" });
  const previous = await current();
  if (previous !== null) await end(previous, { reason: "cancelled" });
  const opened = await chrome.tabs.create({ url: `${SITE}/`, openerTabId: asker.tabId });
  if (opened.id === undefined) return tell(asker, { reason: "failed" });
  await store({ tabId: opened.id, request, isBegun: false, asker });
  // It may have been loaded already.
  if ((await chrome.tabs.get(opened.id)).status === "complete") await enter(opened.id);
}

/** The tab is loaded: asks for the passkey there. */
async function enter(tabId: number): Promise<void> {
  const ceremony = await current();
  if (ceremony?.tabId !== tabId || ceremony.isBegun) return;
  await store({ ...ceremony, isBegun: true });
  // Not awaited: it ends with the ceremony, and fails if the tab shows another site.
  const fail = async (): Promise<void> => {
    if ((await current())?.tabId === tabId) await end(ceremony, { reason: "failed" });
  };
  chrome.scripting
    .executeScript({ target: { tabId }, func: runCeremony, args: [ceremony.request] })
    .catch(() => inTurn(fail));
}

/** The ceremony's result, from its own tab only. */
async function finish(message: Readonly<Record<string, unknown>>, sender: ChromeSender): Promise<void> {
  const ceremony = await current();
  if (ceremony === null || sender.tab?.id !== ceremony.tabId) return;
  if (sender.origin !== SITE || sender.frameId !== 0) return;
  const { answer, reason } = message;
  const isAnswer = isRecord(answer) && JSON.stringify(answer).length <= MAX_LENGTH;
  await end(ceremony, isAnswer ? { answer } : { reason: typeof reason === "string" ? reason : "failed" });
}

/** The person has closed one of both tabs. */
async function abandon(tabId: number): Promise<void> {
  const ceremony = await current();
  if (ceremony?.tabId === tabId || ceremony?.asker.tabId === tabId)
    await end(ceremony, { reason: "cancelled" });
}

async function end({ tabId, asker }: Ceremony, result: object): Promise<void> {
  await chrome.storage.session.remove(KEY);
  await tell(asker, result);
  await chrome.tabs.update(asker.tabId, { active: true }).catch(() => undefined);
  await chrome.tabs.remove(tabId).catch(() => undefined);
}

/** Only to the document that has asked: another page in the same tab gets nothing. */
async function tell({ tabId, documentId, id }: Ceremony["asker"], result: object): Promise<void> {
  const message = { kind: "result", id, ...result };
  await chrome.tabs.sendMessage(tabId, message, { documentId }).catch(() => undefined);
}

async function current(): Promise<Ceremony | null> {
  return ((await chrome.storage.session.get(KEY))[KEY] as Ceremony | undefined) ?? null;
}

function store(ceremony: Ceremony): Promise<void> {
  return chrome.storage.session.set({ [KEY]: ceremony });
}

/** The person has allowed these services: their pages that are open already get the script as well. */
async function allow(origins: readonly string[]): Promise<void> {
  await register();
  for (const url of origins)
    for (const { id } of await chrome.tabs.query({ url }))
      if (id !== undefined)
        await chrome.scripting
          .executeScript({ target: { tabId: id, allFrames: true }, files: ["page.js"] })
          .catch(() => undefined);
}

/** The pages of the allowed services load the script. */
async function register(): Promise<void> {
  const { origins = [] } = await chrome.permissions.getAll();
  const matches = origins.filter((each) => each !== `${SITE}/*`);
  if ((await chrome.scripting.getRegisteredContentScripts()).length > 0)
    await chrome.scripting.unregisterContentScripts();
  if (matches.length === 0) return;
  await chrome.scripting.registerContentScripts([
    { id: "page", js: ["page.js"], matches, allFrames: true, runAt: "document_start" },
  ]);
}

/** A request for a passkey of WhatsApp. */
function isRequest(request: unknown): request is object {
  return (
    isRecord(request) && request["rpId"] === "whatsapp.com" && JSON.stringify(request).length <= MAX_LENGTH
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
