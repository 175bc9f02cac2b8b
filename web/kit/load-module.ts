const PATIENCE_MS = 30_000;

/** Scripts that were fetched or are being fetched, by address. */
const fetches = new Map<string, Promise<void>>();

/**
 * The build calls this for every `import()`: `load` imports a script; `files` are that script and all that it imports,
 * relative to `importer`, and undefined if it is part of `importer`. Rejects if one of them is unavailable; a later call
 * tries again.
 *
 * A browser remembers a failed import until the page ends, also that of a script which another one imports (the module
 * map of the HTML standard; Chromium 153). So each file is fetched first, which can be repeated, and is then imported
 * from the browser's cache.
 */
export async function loadModule<T>(
  load: () => Promise<T>,
  files: readonly string[] | undefined,
  importer: string,
): Promise<T> {
  await Promise.all((files ?? []).map((file) => fetchOnce(new URL(file, importer).href)));
  return load();
}

function fetchOnce(url: string): Promise<void> {
  const known = fetches.get(url);
  if (known !== undefined) return known;
  const begun = fetchScript(url);
  fetches.set(url, begun);
  begun.catch(() => fetches.delete(url));
  return begun;
}

async function fetchScript(url: string): Promise<void> {
  if (isPartOfPage(url)) return;
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  // A proxy may return a page of its own, which cannot be imported either.
  if (!response.ok || response.headers.get("content-type")?.includes("javascript") !== true)
    throw new Error(`${url} is unavailable (status ${response.status})`);
  await response.arrayBuffer();
}

/** The page was opened with this script. */
function isPartOfPage(url: string): boolean {
  const scripts = document.querySelectorAll<HTMLScriptElement>("script");
  const links = document.querySelectorAll<HTMLLinkElement>("link");
  return [...scripts].some(({ src }) => src === url) || [...links].some(({ href }) => href === url);
}
