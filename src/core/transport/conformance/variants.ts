import fc from "fast-check";
import { below, type Key, partsOf, REMOVED, replaced, valueAt } from "./leaves.ts";

export interface VariantOptions {
  /** How many variants with several changes. */
  readonly count: number;
  readonly seed: number;
  /** Fields that must not be dropped. */
  isNeeded(path: string): boolean;
  /** Lists whose items tell one thing several times, or whose length means something else. */
  isFixed(path: string): boolean;
  /** Whether the list or object holds a part that may hold another one, and in which of its fields. */
  nestingOf(path: string): { readonly into?: string } | undefined;
}

/**
 * The sample with each optional field dropped, each list lengthened and each forwarded part nested deeper; then with
 * several of these at once. The same ones each time.
 */
export function variantsOf(sample: unknown, options: VariantOptions): unknown[] {
  const single = editsOf(sample, options);
  if (single.length === 0) return [];
  const several = fc.array(fc.nat(10_000), { minLength: 2, maxLength: 4 });
  return [
    ...single.map((edit) => edit(sample)),
    ...fc.sample(several, { seed: options.seed, numRuns: options.count }).map((numbers) =>
      numbers.reduce((value: unknown, number) => {
        const edits = editsOf(value, options);
        return edits[number % edits.length]?.(value) ?? value;
      }, sample),
    ),
  ];
}

type Edit = (sample: unknown) => unknown;

function editsOf(sample: unknown, options: VariantOptions): Edit[] {
  return [...partsOf(sample)].flatMap(({ path, keys, value }) => {
    const nesting = options.nestingOf(path);
    return [
      ...(Array.isArray(value)
        ? lengthened(path, keys, value, options)
        : dropped(path, keys, value, options)),
      ...(nesting === undefined ? [] : [(whole: unknown) => nestedDeeper(whole, keys, nesting.into)]),
    ];
  });
}

function lengthened(
  path: string,
  keys: readonly Key[],
  list: readonly unknown[],
  { isFixed }: VariantOptions,
): Edit[] {
  if (list.length === 0 || isFixed(path)) return [];
  return [(whole) => replaced(whole, keys, [...list, list.at(-1)])];
}

function dropped(path: string, keys: readonly Key[], part: object, { isNeeded }: VariantOptions): Edit[] {
  return Object.keys(part)
    .filter((field) => !isNeeded(below(path, field)))
    .map((field) => (whole) => replaced(whole, [...keys, field], REMOVED));
}

/** Puts a copy of the part into the part, under the field that holds it. */
function nestedDeeper(sample: unknown, keys: readonly Key[], into: string | undefined): unknown {
  const holder = valueAt(sample, keys);
  const field = keys.at(-1);
  if (field === undefined || holder === undefined) return sample;
  const inner = into === undefined ? [field] : [into, field];
  const deeper = Array.isArray(holder)
    ? holder.map((part: unknown) => replaced(part, inner, holder))
    : replaced(holder, inner, holder);
  return replaced(sample, keys, deeper);
}
