import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildExtension } from "../../clients/whatsapp-passkey/build.ts";

type Listener = (...args: never[]) => void;

/** An event of the browser's interface for extensions. */
class FakeEvent {
  readonly #listeners: Listener[] = [];
  addListener(listener: Listener): void {
    this.#listeners.push(listener);
  }
  clear(): void {
    this.#listeners.splice(0);
  }
  emit(...args: readonly unknown[]): void {
    for (const listener of this.#listeners) listener(...(args as never[]));
  }
}

/** What the background script does to the browser. */
export interface Browser {
  /** Opens a tab; resolves with its id. */
  create(tab: { readonly url: string }): Promise<number>;
  close(tabId: number): Promise<void>;
  /** Runs the ceremony in a tab. */
  run(tabId: number, code: string): Promise<void>;
  /** Delivers a message to a page; rejects if the document is not shown any more. */
  tell(tabId: number, message: unknown, documentId: string): Promise<void>;
}

const ID = "the-extension";

/** The browser's interface for the background script of the extension, with the permissions that a person has given. */
export class FakeChrome {
  readonly origins = new Set<string>(["https://web.whatsapp.com/*"]);
  readonly registered: { readonly matches: readonly string[] }[] = [];
  readonly #events = {
    message: new FakeEvent(),
    updated: new FakeEvent(),
    removed: new FakeEvent(),
    added: new FakeEvent(),
    revoked: new FakeEvent(),
    installed: new FakeEvent(),
  };
  readonly #stored = new Map<string, unknown>();
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Starts the background script of the built extension, as the browser does for each event after a pause. */
  async start(directory: string): Promise<void> {
    for (const event of Object.values(this.#events)) event.clear();
    Object.assign(globalThis, { chrome: this.#interface() });
    await import(`${pathToFileURL(join(directory, "background.js")).href}?${crypto.randomUUID()}`);
  }

  /** The person allows an origin, such as `https://crm.example`. */
  allow(origin: string): void {
    this.origins.add(`${origin}/*`);
    this.#events.added.emit({ origins: [`${origin}/*`] });
  }

  revoke(origin: string): void {
    this.origins.delete(`${origin}/*`);
    this.#events.revoked.emit();
  }

  message(message: unknown, sender: object): void {
    this.#events.message.emit(message, { id: ID, ...sender });
  }

  loaded(tabId: number): void {
    this.#events.updated.emit(tabId, { status: "complete" });
  }

  closed(tabId: number): void {
    this.#events.removed.emit(tabId);
  }

  #interface() {
    const { message, updated, removed, added, revoked, installed } = this.#events;
    const browser = this.#browser;
    return {
      runtime: { id: ID, onMessage: message, onInstalled: installed, onStartup: new FakeEvent() },
      permissions: {
        onAdded: added,
        onRemoved: revoked,
        contains: async ({ origins }: { origins: string[] }) =>
          origins.every((each) => this.origins.has(each)),
        getAll: async () => ({ origins: [...this.origins] }),
      },
      tabs: {
        onUpdated: updated,
        onRemoved: removed,
        create: async (tab: { url: string }) => ({ id: await browser.create(tab) }),
        get: async (id: number) => ({ id, status: "loading" }),
        query: async () => [],
        remove: (id: number) => browser.close(id),
        sendMessage: (id: number, told: unknown, { documentId }: { documentId: string }) =>
          browser.tell(id, told, documentId),
        update: async () => undefined,
      },
      scripting: {
        executeScript: ({
          target,
          func,
          args,
        }: {
          target: { tabId: number };
          func: unknown;
          args: unknown[];
        }) => browser.run(target.tabId, `(${String(func)})(...${JSON.stringify(args)})`),
        getRegisteredContentScripts: async () => [...this.registered],
        unregisterContentScripts: async () => void this.registered.splice(0),
        registerContentScripts: async (scripts: { matches: string[] }[]) =>
          void this.registered.push(...scripts),
      },
      storage: {
        session: {
          get: async (key: string) => structuredClone({ [key]: this.#stored.get(key) }),
          set: async (values: object) => {
            for (const [key, value] of Object.entries(values)) this.#stored.set(key, structuredClone(value));
          },
          remove: async (key: string) => void this.#stored.delete(key),
        },
      },
    };
  }
}

/** The built extension, in a new directory. */
export async function builtExtension(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-extension-"));
  await buildExtension(directory);
  return directory;
}
