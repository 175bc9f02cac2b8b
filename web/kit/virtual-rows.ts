export interface RowsOptions {
  readonly count: number;
  /** Stable for a row, whatever its position: a row that means something else after others were inserted has a new key. */
  readonly keyOf: (index: number) => string;
  /** Estimated height in pixels of a row that was not measured yet. */
  readonly estimate: number;
  /** Rows rendered beyond the edges. */
  readonly overscan: number;
  /** A conversation: starts at its end, follows it, and keeps its position when rows are prepended. */
  readonly fromEnd?: boolean;
  /** Pixels after the last row. */
  readonly paddingEnd?: number;
}

export interface VirtualRow {
  readonly index: number;
  readonly key: string;
  /** Pixels from the list's top. */
  readonly start: number;
}

type Align = "auto" | "start" | "center";

/** A conversation is followed within this many pixels of its end. */
const NEAR_END = 80;
/** Until the element exists. */
const UNKNOWN_HEIGHT = 800;

/**
 * The positions of the rows of a long list, and which of them to render. Independent of the document: positions are
 * passed in, and `top` is the wanted scroll position. Heights are stored by key, so that rows keep theirs when others
 * are prepended.
 */
export class VirtualRows {
  /** The start of the view. */
  top = 0;
  height = UNKNOWN_HEIGHT;
  #options: RowsOptions | null = null;
  #keys: readonly string[] = [];
  #known = new Map<string, number>();
  #heights = new Float64Array(0);
  /** Starts of all rows, and the end of the last one. */
  #starts = new Float64Array(1);
  #isFollowing = true;
  /** A row to scroll to, while heights around it are still estimates. */
  #goal: { readonly key: string; readonly align: Align } | null = null;

  /** Applies the present rows, keeping the reading position. */
  update(options: RowsOptions): void {
    const before = this.#options;
    this.#options = options;
    if (before?.keyOf === options.keyOf && before.count === options.count) return;
    const keys = Array.from({ length: options.count }, (_, index) => options.keyOf(index));
    const anchor = this.#anchorIn(keys);
    this.#heights = this.#heightsOf(keys, anchor?.moved ?? 0, options.estimate);
    this.#keys = keys;
    this.#layOut();
    if (anchor !== null && options.fromEnd === true)
      this.top = (this.#starts[anchor.before + anchor.moved] ?? 0) + anchor.offset;
    this.#settle();
  }

  /**
   * The first row at the top of the view or below that is still there: its index before, by how many positions it has
   * moved, and where the view starts relative to it. Null: all are gone.
   */
  #anchorIn(
    keys: readonly string[],
  ): { readonly before: number; readonly moved: number; readonly offset: number } | null {
    const places = new Map(keys.map((key, index) => [key, index]));
    for (let before = this.#rowAt(this.top); before < this.#keys.length; before++) {
      const now = places.get(this.#keys[before] ?? "");
      if (now !== undefined)
        return { before, moved: now - before, offset: this.top - (this.#starts[before] ?? 0) };
    }
    return null;
  }

  get size(): number {
    return (this.#starts.at(-1) ?? 0) + (this.#options?.paddingEnd ?? 0);
  }

  /** Whether the view is at the end, or near it. */
  get isAtEnd(): boolean {
    return this.size - this.top - this.height <= NEAR_END;
  }

  /** The visible rows and those just beyond. */
  get rows(): readonly VirtualRow[] {
    const { overscan = 0, count = 0 } = this.#options ?? {};
    const first = Math.max(0, this.#rowAt(this.top) - overscan);
    const last = Math.min(count - 1, this.#rowAt(this.top + this.height) + overscan);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => ({
      index: first + at,
      key: this.#keys[first + at] ?? "",
      start: this.#starts[first + at] ?? 0,
    }));
  }

  startOf(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** The reader scrolled. */
  scrolled(top: number): void {
    if (Math.abs(top - this.top) < 1) return;
    this.top = top;
    this.#goal = null;
    this.#isFollowing = this.isAtEnd;
  }

  resized(height: number): void {
    this.height = height;
    this.#settle();
  }

  /** Applies measured heights; true if any differs from the known one. */
  measured(heights: Iterable<readonly [index: number, height: number]>): boolean {
    let moved = 0;
    let isChanged = false;
    for (const [index, height] of heights) {
      const before = this.#heights[index];
      const key = this.#keys[index];
      if (key === undefined || before === undefined || height === 0 || Math.abs(height - before) < 0.5)
        continue;
      // A row that reaches into the view grows at its end.
      if ((this.#starts[index] ?? 0) + before <= this.top) moved += height - before;
      this.#heights[index] = height;
      this.#known.set(key, height);
      isChanged = true;
    }
    if (!isChanged) {
      this.#goal = null;
      return false;
    }
    this.#layOut();
    this.top += moved;
    this.#settle();
    return true;
  }

  /** A row will grow because the reader extends it: the view stays where it is. */
  stay(): void {
    this.#goal = null;
    this.#isFollowing = false;
  }

  /** Scrolls to a row. */
  scrollTo(index: number, align: Align): void {
    const key = this.#keys[index];
    if (key === undefined) return;
    this.#goal = { key, align };
    this.#isFollowing = false;
    this.#settle();
  }

  scrollToEnd(): void {
    this.#goal = null;
    this.#isFollowing = true;
    this.#settle();
  }

  /** Most rows only moved by the same number of positions; those need no lookup. */
  #heightsOf(keys: readonly string[], moved: number, estimate: number): Float64Array<ArrayBuffer> {
    const heights = new Float64Array(keys.length);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? "";
      const before = this.#keys[index - moved] === key ? this.#heights[index - moved] : undefined;
      heights[index] = before ?? this.#known.get(key) ?? estimate;
    }
    return heights;
  }

  #layOut(): void {
    const starts = new Float64Array(this.#heights.length + 1);
    for (let index = 0; index < this.#heights.length; index++)
      starts[index + 1] = (starts[index] ?? 0) + (this.#heights[index] ?? 0);
    this.#starts = starts;
  }

  /** Moves the view to its final position. */
  #settle(): void {
    const most = Math.max(0, this.size - this.height);
    if (this.#goal !== null) this.top = this.#topFor(this.#goal);
    else if (this.#isFollowing && this.#options?.fromEnd === true) this.top = most;
    this.top = Math.min(most, Math.max(0, this.top));
  }

  #topFor({ key, align }: { readonly key: string; readonly align: Align }): number {
    const index = this.#keys.indexOf(key);
    const [start = 0, end = 0] = [this.#starts[index], this.#starts[index + 1]];
    if (align === "start") return start;
    if (align === "center") return (start + end - this.height) / 2;
    if (start < this.top) return start;
    return end > this.top + this.height ? end - this.height : this.top;
  }

  /** The last row that starts at or before a position. */
  #rowAt(position: number): number {
    let [low, high] = [0, Math.max(0, this.#heights.length - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
