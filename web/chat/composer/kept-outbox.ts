/** A message that waits, as it survives a reload of the page: without its file, which no store takes. */
export interface Kept<What extends { readonly place: string }> {
  /** The id under which the service accepts it once, however often it is sent. */
  readonly id: string;
  readonly at: string;
  readonly what: What;
  /** Name of the file that is lost; null for a message without one. */
  readonly fileName: string | null;
  /** Why it was refused, for the agent; null while it waits. */
  readonly refusal: string | null;
}

interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const LIFE_MS = 24 * 60 * 60 * 1000;

/** `owner`: who may send them on, an employee in an account. */
const keyOf = (owner: string): string => `trunkline-outbox-${owner}`;

/** What was kept for this owner in the last day, in its order. */
export function readOutbox<What extends { readonly place: string }>(
  owner: string,
  store: Store | null,
  now: number,
): Kept<What>[] {
  try {
    const kept: unknown = JSON.parse(store?.getItem(keyOf(owner)) ?? "[]");
    return Array.isArray(kept)
      ? kept.filter((each) => isKept<What>(each) && now - Date.parse(each.at) < LIFE_MS)
      : [];
  } catch {
    return [];
  }
}

export function writeOutbox(
  owner: string,
  store: Store | null,
  kept: readonly Kept<{ readonly place: string }>[],
): void {
  try {
    store?.setItem(keyOf(owner), JSON.stringify(kept));
  } catch {
    // The store is full: they live as long as the page.
  }
}

/** Anything may be in a browser's store. */
function isKept<What extends { readonly place: string }>(value: unknown): value is Kept<What> {
  const { id, at, what } = (value ?? {}) as Partial<Kept<What>>;
  return typeof id === "string" && typeof at === "string" && typeof what?.place === "string";
}

/** The store of this tab, so that no other one sends the same; null where the browser refuses storage. */
export function tabStore(): Store | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
