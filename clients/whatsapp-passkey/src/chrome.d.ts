// The part of the browser's interface for extensions that is used here.

interface ChromeEvent<Listener> {
  addListener(listener: Listener): void;
}

interface ChromeTab {
  readonly id?: number;
  readonly url?: string;
  readonly status?: string;
}

interface ChromeSender {
  readonly id?: string;
  readonly tab?: ChromeTab;
  readonly frameId?: number;
  readonly documentId?: string;
  readonly origin?: string;
}

interface ChromeOrigins {
  readonly origins?: string[];
}

interface ChromeContentScript {
  readonly id: string;
  readonly js: string[];
  readonly matches: string[];
  readonly allFrames: true;
  readonly runAt: "document_start";
}

declare const chrome: {
  readonly i18n: {
    getMessage(name: string, substitutions?: string[]): string;
    getUILanguage(): string;
  };
  readonly runtime: {
    readonly id: string;
    readonly onMessage: ChromeEvent<(message: unknown, sender: ChromeSender) => void>;
    readonly onInstalled: ChromeEvent<() => void>;
    readonly onStartup: ChromeEvent<() => void>;
    sendMessage(message: unknown): Promise<unknown>;
  };
  readonly permissions: {
    readonly onAdded: ChromeEvent<(added: ChromeOrigins) => void>;
    readonly onRemoved: ChromeEvent<() => void>;
    contains(permissions: ChromeOrigins): Promise<boolean>;
    getAll(): Promise<ChromeOrigins>;
    request(permissions: ChromeOrigins): Promise<boolean>;
    remove(permissions: ChromeOrigins): Promise<boolean>;
  };
  readonly tabs: {
    readonly onUpdated: ChromeEvent<(tabId: number, change: { readonly status?: string }) => void>;
    readonly onRemoved: ChromeEvent<(tabId: number) => void>;
    create(tab: { readonly url: string; readonly openerTabId: number }): Promise<ChromeTab>;
    get(tabId: number): Promise<ChromeTab>;
    query(
      query: { readonly url: string } | { readonly active: true; readonly currentWindow: true },
    ): Promise<ChromeTab[]>;
    remove(tabId: number): Promise<void>;
    sendMessage(tabId: number, message: unknown, to: { readonly documentId: string }): Promise<unknown>;
    update(tabId: number, change: { readonly active: true }): Promise<unknown>;
  };
  readonly scripting: {
    executeScript(
      injection:
        | {
            readonly target: { readonly tabId: number };
            readonly func: (request: object) => unknown;
            readonly args: [request: object];
          }
        | {
            readonly target: { readonly tabId: number; readonly allFrames: true };
            readonly files: string[];
          },
    ): Promise<unknown>;
    getRegisteredContentScripts(): Promise<readonly ChromeContentScript[]>;
    registerContentScripts(scripts: ChromeContentScript[]): Promise<void>;
    unregisterContentScripts(): Promise<void>;
  };
  readonly storage: {
    readonly session: {
      get(key: string): Promise<Readonly<Record<string, unknown>>>;
      set(values: Readonly<Record<string, unknown>>): Promise<void>;
      remove(key: string): Promise<void>;
    };
  };
};
