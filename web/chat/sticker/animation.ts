/** An animation that has passed `checkAnimation`: the part of the Lottie format that Telegram's stickers have. */
export interface Animation {
  readonly w: number;
  readonly h: number;
  /** Frames a second. */
  readonly fr: number;
  /** First frame, and the one after the last. */
  readonly ip: number;
  readonly op: number;
  readonly layers: readonly object[];
}

/** Bytes of a file: four times what Telegram allows. */
export const MAX_FILE_BYTES = 256 * 1024;
/** Bytes of its JSON. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;
const MAX_SIDE = 1_024;
const MAX_RATE = 120;
const MAX_SECONDS = 10;
/** Objects and arrays of the file, and how deep they lie in each other. */
const MAX_NODES = 200_000;
const MAX_DEPTH = 64;
/** Movements along a curve, each of which the player divides into 150 pieces. */
const MAX_CURVES = 2_000;
/** Colours of a gradient: the player reserves memory for as many as the file says. */
const MAX_COLOURS = 100;
/** Layers that are drawn, where a composition counts as often as it is used. */
const MAX_LAYERS = 1_000;
/** Layers that are drawn on a canvas of their own. */
const MAX_MATTES = 20;
/**
 * Objects and arrays of the layers that are drawn, which the player copies for each use of a composition. A curve counts as
 * a hundred.
 */
const MAX_DRAWN_NODES = 400_000;
const NODES_OF_CURVE = 100;
/**
 * Shapes that are drawn. A path counts once more for each fill, stroke and modifier that applies to it: the player joins each
 * with each.
 */
const MAX_DRAWN_SHAPES = 10_000;

/** Compositions, solids, empty ones and shapes. Pictures and fonts would be loaded from addresses of the file's choice. */
const LAYERS: ReadonlySet<unknown> = new Set([0, 1, 3, 4]);
/** Without repeaters and stars, whose counts are numbers in the file that no size limits. */
const SHAPES: ReadonlySet<unknown> = new Set("gr sh rc el fl st gf gs tr tm mm rd".split(" "));
/** Those that apply to the shapes before them in their group. */
const APPLIED: ReadonlySet<unknown> = new Set("fl st gf gs tm rd".split(" "));

/**
 * Reads a `.tgs` file: gzip of a Lottie animation. Null if it is none, or one that could be too much for the page:
 * files come from strangers. Expressions, effects, masks of dashes and references to other files are not in the result.
 */
export async function readAnimation(file: Blob): Promise<Animation | null> {
  if (file.size > MAX_FILE_BYTES) return null;
  const json = await unzipped(file);
  try {
    return json === null ? null : checkAnimation(JSON.parse(json));
  } catch {
    return null;
  }
}

/** Null if it is no gzip, or longer than an animation is. */
async function unzipped(file: Blob): Promise<string | null> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const part of file.stream().pipeThrough(new DecompressionStream("gzip"))) {
      size += part.length;
      if (size > MAX_JSON_BYTES) return null;
      parts.push(part);
    }
  } catch {
    return null;
  }
  return new Blob(parts).text();
}

/** Foreign data, of which only what is named here goes to the player. Null: it is not played. Pure. */
export function checkAnimation(value: unknown): Animation | null {
  if (!isObject(value) || !isSmall(value)) return null;
  const { w, h, fr, ip, op } = value;
  if (!isBetween(w, 1, MAX_SIDE) || !isBetween(h, 1, MAX_SIDE) || !isBetween(fr, 1, MAX_RATE)) return null;
  if (!isBetween(ip, -1e6, 1e6) || !isBetween(op, ip + 1, ip + fr * MAX_SECONDS)) return null;
  const assets = Array.isArray(value["assets"]) ? value["assets"] : [];
  const compositions = new Map<unknown, readonly unknown[]>();
  for (const asset of assets) {
    if (!isObject(asset) || !Array.isArray(asset["layers"])) return null;
    compositions.set(asset["id"], asset["layers"]);
  }
  const layers = Array.isArray(value["layers"]) ? value["layers"] : null;
  if (layers === null) return null;
  for (const each of [layers, ...compositions.values()]) if (!each.every(isHarmless)) return null;
  if (!isDrawable(layers, compositions)) return null;
  const parts = assets.map(({ id, layers: own, w: width, h: height }) => ({
    id,
    layers: own,
    w: width,
    h: height,
  }));
  return clean({ v: "5.5.2", w, h, fr, ip, op, ddd: 0, assets: parts, layers }) as Animation;
}

type Foreign = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Foreign {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBetween(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && value >= least && value <= most;
}

function isSmall(root: object): boolean {
  const { nodes, curves, depth } = measure(root);
  return depth <= MAX_DEPTH && nodes <= MAX_NODES && curves <= MAX_CURVES;
}

/** Counts without recursion, which a deep file would exhaust, and no further than something is too much. */
function measure(root: object) {
  let level: unknown[] = [root];
  let [nodes, curves, depth] = [0, 0, -1];
  while (level.length > 0 && depth <= MAX_DEPTH && nodes <= MAX_NODES) {
    depth++;
    nodes += level.length;
    curves += level.filter((node) => isObject(node) && "ti" in node).length;
    level = level
      .flatMap((node) => Object.values(node as object))
      .filter((each) => typeof each === "object" && each !== null);
  }
  return { nodes, curves, depth };
}

/** Whether the layers with their compositions, which may use others but not themselves, are few and small enough. */
function isDrawable(
  layers: readonly unknown[],
  compositions: ReadonlyMap<unknown, readonly unknown[]>,
): boolean {
  let [drawn, mattes, nodes, shapes] = [0, 0, 0, 0];
  const fits = (each: readonly unknown[], depth: number): boolean =>
    each.every((layer) => {
      drawn++;
      if (!isObject(layer) || drawn > MAX_LAYERS || depth > MAX_DEPTH) return false;
      if (layer["tt"] !== undefined && layer["tt"] !== 0) mattes++;
      const size = measure(layer);
      nodes += size.nodes + size.curves * NODES_OF_CURVE;
      shapes += countDrawn((layer["shapes"] ?? []) as readonly Foreign[], 0);
      if (mattes > MAX_MATTES || nodes > MAX_DRAWN_NODES || shapes > MAX_DRAWN_SHAPES) return false;
      if (layer["ty"] !== 0) return true;
      const used = compositions.get(layer["refId"]);
      // One that contains itself exceeds the depth.
      return used !== undefined && fits(used, depth + 1);
    });
  return fits(layers, 0);
}

/** See `MAX_DRAWN_SHAPES`. `applied`: what applies from outside to the shapes, which have passed `isShape`. */
function countDrawn(shapes: readonly Foreign[], applied: number): number {
  let [present, count] = [applied, 0];
  for (const { ty, it } of shapes.toReversed()) {
    if (APPLIED.has(ty)) present++;
    count += ty === "gr" ? 1 + countDrawn((it ?? []) as readonly Foreign[], present) : 1 + present;
  }
  return count;
}

function isHarmless(layer: unknown): boolean {
  if (!isObject(layer) || !LAYERS.has(layer["ty"])) return false;
  const { shapes = [] } = layer;
  return isList(shapes);
}

function isShape(shape: unknown): boolean {
  if (!isObject(shape) || !SHAPES.has(shape["ty"])) return false;
  const { it = [], g } = shape;
  if (g !== undefined && !(isObject(g) && isBetween(g["p"], 0, MAX_COLOURS))) return false;
  return isList(it);
}

/** Shapes of a layer or a group, with one transformation at most: of several, the player would apply each to each. */
function isList(shapes: unknown): boolean {
  return Array.isArray(shapes) && shapes.every(isShape) && shapes.filter(({ ty }) => ty === "tr").length <= 1;
}

/** Without effects, layer styles, dashes (which may be arbitrarily short) and expressions, the texts at `x`. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (!isObject(value)) return value;
  const isStroke = value["ty"] === "st" || value["ty"] === "gs";
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => {
        if (key === "ef" || key === "sy" || key === "__proto__") return false;
        return !(isStroke && key === "d") && !(key === "x" && typeof part === "string");
      })
      .map(([key, part]) => [key, clean(part)]),
  );
}
