/** Unsent text of each chat. Survives a reload if the browser allows storage in a frame. */
export interface Drafts {
  get(chat: string): string;
  set(chat: string, text: string): void;
  /** Moves the draft of one chat to another, after the draft there. */
  move(from: string, to: string): void;
}

interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const MAX_DRAFTS = 100;

/** `owner`: drafts are not shown to another person who uses the same browser. */
export function openDrafts(owner: string, store: Store | null): Drafts {
  const key = `trunkline-drafts-${owner}`;
  const stored = () => readDrafts(store?.getItem(key) ?? null);
  let texts = stored();
  let isStored = store !== null;
  const drafts: Drafts = {
    get: (chat) => texts.get(chat) ?? "",
    move(from, to) {
      const typed = [drafts.get(to), drafts.get(from)].filter((text) => text !== "");
      drafts.set(from, "");
      drafts.set(to, typed.join("\n"));
    },
    set(chat, text) {
      // Other tabs write to the same store.
      if (isStored) texts = stored();
      texts.delete(chat);
      if (text !== "") texts.set(chat, text);
      for (const oldest of texts.keys()) if (texts.size > MAX_DRAFTS) texts.delete(oldest);
      isStored = write(store, key, texts);
    },
  };
  return drafts;
}

/** False without a store, and if it is full: the drafts live as long as the page. */
function write(store: Store | null, key: string, texts: ReadonlyMap<string, string>): boolean {
  try {
    store?.setItem(key, JSON.stringify([...texts]));
    return store !== null;
  } catch {
    return false;
  }
}

/** Foreign data: the browser's storage may contain anything. */
function readDrafts(stored: string | null): Map<string, string> {
  try {
    const pairs: unknown = JSON.parse(stored ?? "[]");
    return new Map(Array.isArray(pairs) ? pairs.filter(isPair) : []);
  } catch {
    return new Map();
  }
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "string");
}

/** Null if the browser refuses storage, as in frames without third-party cookies. */
export function browserStore(): Store | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
