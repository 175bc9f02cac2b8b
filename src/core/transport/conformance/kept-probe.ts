import type { ChannelLink, Transport } from "../connector.ts";
import { TransportError } from "../errors.ts";
import { covers, ignoredBy, isBelow, type KeptCases } from "./kept-cases.ts";
import { below, type Leaf, leavesOf, partsOf, replaced } from "./leaves.ts";
import { linkTo } from "./link.ts";
import { markOf, searchable } from "./marks.ts";
import type { MutantCases } from "./mutant-probes.ts";
import { variantsOf } from "./variants.ts";

/** The part of `ConformanceCases` that is used here. */
export interface Cases {
  readonly credentials: Readonly<Record<string, string>>;
  readonly stored?: Readonly<Record<string, string>>;
  readonly samples: readonly unknown[];
  readonly mutants?: MutantCases;
  readonly kept: KeptCases;
  settings(url: string): Readonly<Record<string, string>>;
  replay(sample: unknown, link: ChannelLink): Promise<unknown>;
}

export interface KeptReport {
  /** Each names the transport, the sample, the path and the string. */
  readonly problems: readonly string[];
  readonly samples: number;
  readonly variants: number;
  /** Strings that had to be found, in all samples and variants. */
  readonly strings: number;
  /** Paths of the samples that are ignored, and entries because of which. */
  readonly ignoredPaths: number;
  readonly ignoredEntries: number;
  readonly lost: number;
}

/** Nothing listens at this address, so requests of the connector fail immediately. */
const UNREACHABLE_URL = "http://127.0.0.1:9";
/** Of each sample, besides those with one change. */
const VARIANTS = 4;
const SEED = 33;
const MAX_PROBLEMS = 20;

/**
 * Every text, address, file and button's payload of each sample, and of variants of it, must be found in what the
 * transport emits or reports as unknown, unless its field is ignored on purpose. So a field that is new in a sample fails
 * this until the connector shows it or a reason is given.
 */
export async function probeKept(transport: Transport, cases: Cases): Promise<KeptReport> {
  const { kept } = cases;
  const { lost = [] } = kept;
  const { id } = transport.definition;
  const needed = new Set<number>();
  const losses = new Map<string, { readonly first: string; readonly samples: Set<string> }>();
  let [variants, strings] = [0, 0];
  for (const [index, sample] of cases.samples.entries()) {
    const name = kept.names[index] ?? String(index);
    for (const [number, variant] of [sample, ...variantsFor(sample, name, cases)].entries()) {
      const { checked, missing } = await search(variant, name, cases);
      variants++;
      strings += checked;
      for (const { path, value } of missing) {
        const known = lost.findIndex((entry) => covers(entry, path, name));
        if (known >= 0) needed.add(known);
        else if (!losses.has(path)) {
          const first = `${name}${number === 0 ? "" : `, variant ${number}`}: ${path} ${JSON.stringify(value)}`;
          losses.set(path, { first, samples: new Set([name]) });
        } else losses.get(path)?.samples.add(name);
      }
    }
  }
  const idle = lost.filter((_, at) => !needed.has(at));
  const ignored = ignoredPathsOf(cases);
  return {
    problems: [
      ...[...losses.values()].map(
        ({ first, samples }) => `${id}, sample ${first} is not found${also(samples)}`,
      ),
      ...idle.map(({ path }) => `${id}: ${path} is listed as lost, and nothing of it is lost`),
      ...idleEntries(id, cases),
    ].slice(0, MAX_PROBLEMS),
    samples: cases.samples.length,
    variants: variants - cases.samples.length,
    strings,
    ignoredPaths: ignored.size,
    ignoredEntries: kept.ignored.length,
    lost: lost.length,
  };
}

/** The other samples that lose the same. */
function also(samples: ReadonlySet<string>): string {
  const [, ...others] = samples;
  return others.length === 0 ? "" : ` (nor in ${others.join(", ")})`;
}

/** Paths of the samples' strings that are ignored. */
function ignoredPathsOf({ samples, kept }: Cases): ReadonlySet<string> {
  const paths = samples.flatMap((sample, at) =>
    [...leavesOf(sample)]
      .filter(
        ({ path, value }) => typeof value === "string" && ignoredBy(path, kept, kept.names[at]) !== undefined,
      )
      .map(({ path }) => path),
  );
  return new Set(paths);
}

/**
 * A text in a field that nobody knows yet must be noticed in every part of every sample. Returns the parts in which the
 * lists would hide it, but for those that are ignored as a whole.
 */
export function findHidingPatterns({ samples, kept }: Pick<Cases, "samples" | "kept">): string[] {
  const hidden = samples.flatMap((sample, at) =>
    [...partsOf(sample)]
      .filter(({ value }) => !Array.isArray(value))
      .map(({ path }) => below(path, "remark"))
      .filter((path) => {
        const entry = ignoredBy(path, kept, kept.names[at]);
        return entry !== undefined && entry.isWhole !== true;
      }),
  );
  return [...new Set(hidden)].map((path) => `${path} would be ignored`);
}

function variantsFor(sample: unknown, name: string, { mutants, kept }: Cases): unknown[] {
  const needed = [...(mutants?.essential ?? []), ...(mutants?.decisive ?? []), ...(kept.needed ?? [])];
  const any = (patterns: readonly RegExp[] | undefined, path: string): boolean =>
    patterns?.some((each) => each.test(path)) ?? false;
  return variantsOf(sample, {
    count: VARIANTS,
    seed: SEED,
    // What decides about the kind is dropped by the probes of mutants.
    isNeeded: (path) =>
      any(needed, path) ||
      ignoredBy(path, kept, name) !== undefined ||
      kept.oneOf?.some((each) => isBelow(path, each)) === true,
    isFixed: (path) =>
      any(kept.oneOf, path) ||
      kept.fixed?.some((each) => covers(each, path, name)) === true ||
      ignoredBy(`${path}[]`, kept, name) !== undefined,
    nestingOf: (path) => kept.nested?.find((each) => covers(each, path, name)),
  });
}

let counter = 0;

/** Marks all that must be found at once, and lets the transport receive it. */
async function search(
  variant: unknown,
  name: string,
  cases: Cases,
): Promise<{ checked: number; missing: Leaf[] }> {
  const { kept } = cases;
  const leaves = [...leavesOf(variant)].filter((leaf) => isReadable(leaf, name, kept));
  const marked = leaves.map((leaf) => ({ leaf, ...markOf(leaf, ++counter) }));
  const payload = marked.reduce((whole, { leaf, value }) => replaced(whole, leaf.keys, value), variant);
  const text = await receive(payload, cases);
  if (text === null) return { checked: 0, missing: [] };
  const groups = Map.groupBy(marked, ({ leaf }) => groupOf(leaf, kept));
  const lost = [...groups.values()].filter((group) => !group.some(({ trace }) => text.includes(trace)));
  return {
    checked: groups.size,
    missing: lost.flatMap(([first]) => (first === undefined ? [] : [first.leaf])),
  };
}

/** Numbers count only where they name something. Where nothing is written, nothing can be lost. */
function isReadable({ path, value }: Leaf, name: string, kept: KeptCases): boolean {
  if (typeof value === "number") return kept.wanted?.some((each) => each.test(path)) ?? false;
  return value !== "" && ignoredBy(path, kept, name) === undefined;
}

/** Leaves of one group are forms of the same thing. */
function groupOf({ path, keys }: Leaf, { oneOf = [] }: KeptCases): string {
  const segments = keys.map((_, length) => keys.slice(0, length).reduce<string>(below, ""));
  const depth = path === "" ? -1 : segments.findIndex((part) => oneOf.some((each) => each.test(part)));
  if (depth < 0) return JSON.stringify(keys);
  return JSON.stringify([keys.slice(0, depth), keys.slice(depth + 1)]);
}

/** All that was emitted or reported as unknown; null if nothing was lost because the payload was refused and kept whole. */
async function receive(payload: unknown, cases: Cases): Promise<string | null> {
  const link = linkTo(UNREACHABLE_URL, cases);
  try {
    await cases.replay(payload, link);
    return link.deadLetters.length > 0 ? null : searchable([...link.events, ...link.unknown]);
  } catch (error) {
    if (error instanceof TransportError) return null;
    throw error;
  } finally {
    link.abort();
    await link.dispose();
  }
}

/** Entries that match nothing in the samples say nothing. */
function idleEntries(id: string, { samples, kept }: Cases): string[] {
  const paths = new Set(
    samples.flatMap((sample) => [
      ...[...leavesOf(sample)].map(({ path }) => path),
      ...[...partsOf(sample)].map(({ path }) => path),
    ]),
  );
  return kept.ignored
    .filter(({ path }) => ![...paths].some((each) => path.test(each)))
    .map(({ path }) => `${id}: ${path} is ignored and occurs in no sample`);
}
