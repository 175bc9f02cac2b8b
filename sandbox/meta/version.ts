const oldestVersion = 17;
const newestVersion = 26;

/** The version by which a call is served. */
export interface ServedVersion {
  readonly version: string;
  /** For the journal: the wanted version is no longer served. */
  readonly warning?: string;
}

/**
 * The version that serves calls of `wanted`: a sunset one is served by the oldest that is left
 * (https://developers.facebook.com/docs/apps/versions). Undefined: there is no such version.
 */
export function servedVersion(wanted: string): ServedVersion | undefined {
  const major = Number(/^v(\d+)\.\d+$/.exec(wanted)?.[1] ?? 0);
  if (major === 0 || major > newestVersion) return undefined;
  if (major >= oldestVersion) return wanted === `v${major}.0` ? { version: wanted } : undefined;
  const version = `v${oldestVersion}.0`;
  return { version, warning: `${wanted} is no longer available, the call was served by ${version}` };
}
