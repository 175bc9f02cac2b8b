interface Ordered {
  readonly id: string;
  readonly order: string;
}

/** A part of a thread without gaps, oldest first. */
export interface Span<T extends Ordered> {
  readonly messages: readonly T[];
  /** Cursor to older messages; null: this is the start of the thread. */
  readonly before: string | null;
  /** Cursor to newer messages; null: this is the end of the thread. */
  readonly after: string | null;
}

const compare = (a: Ordered, b: Ordered): number =>
  a.order < b.order ? -1 : a.order > b.order ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

/** Each id once; the later one in the list counts. Messages of `fresh` replace those of `known`. */
function united<T extends Ordered>(known: readonly T[], fresh: readonly T[]): readonly T[] {
  const [last, first] = [known.at(-1), fresh[0]];
  // Pages rarely overlap, and a long thread should not be sorted for each of them.
  if (last === undefined || first === undefined || compare(last, first) < 0) return [...known, ...fresh];
  const byId = new Map(known.map((each) => [each.id, each]));
  for (const each of fresh) byId.set(each.id, each);
  return [...byId.values()].sort(compare);
}

/** Puts further items between those of a page. */
export function withItems<T extends Ordered>(page: Span<T>, items: readonly T[]): Span<T> {
  return items.length === 0 ? page : { ...page, messages: [...page.messages, ...items].sort(compare) };
}

/** Prepends a page. Messages already in the span are newer (from the stream), and are kept. */
export function withOlder<T extends Ordered>(span: Span<T>, page: Span<T>): Span<T> {
  return { messages: united(page.messages, span.messages), before: page.before, after: span.after };
}

/** Appends a page. */
export function withNewer<T extends Ordered>(span: Span<T>, page: Span<T>): Span<T> {
  return { messages: united(page.messages, span.messages), before: span.before, after: page.after };
}

/**
 * The newest page, reloaded after the connection was lost: joined to the span if the two touch; otherwise it replaces
 * the span, because the messages in between are unknown. Messages that the stream brought after the page was read are
 * kept; messages missing in the page were deleted.
 */
export function withNewest<T extends Ordered>(span: Span<T>, page: Span<T>): Span<T> {
  const [first, last] = [page.messages[0], page.messages.at(-1)];
  if (first === undefined || last === undefined) return page;
  const onPage = new Set(page.messages.map(({ id }) => id));
  const isJoined =
    span.after === null && (page.before === null || span.messages.some(({ id }) => onPage.has(id)));
  const kept = span.messages.filter((each) => {
    if (compare(each, last) > 0) return true;
    return isJoined && (onPage.has(each.id) || compare(each, first) < 0);
  });
  const reachesBack = isJoined && isOlder(kept[0], first);
  return {
    messages: united(kept, page.messages),
    before: reachesBack ? span.before : page.before,
    after: page.after,
  };
}

function isOlder(a: Ordered | undefined, b: Ordered | undefined): boolean {
  return a !== undefined && (b === undefined || compare(a, b) < 0);
}

/**
 * A message of the stream: replaces the one with its id; a new one is inserted, unless it is beyond a loaded end of
 * the span: then it comes with its page.
 */
export function withMessage<T extends Ordered>(span: Span<T>, message: T): Span<T> {
  const { messages, before, after } = span;
  const at = messages.findIndex(({ id }) => id === message.id);
  if (at >= 0 && messages[at]?.order === message.order)
    return { ...span, messages: messages.with(at, message) };
  const others = at < 0 ? messages : messages.toSpliced(at, 1);
  const [first, last] = [others[0], others.at(-1)];
  const isBefore = before !== null && first !== undefined && compare(message, first) < 0;
  const isAfter = after !== null && (last === undefined || compare(message, last) > 0);
  if (isBefore || isAfter) return { ...span, messages: others };
  const next = others.findLastIndex((each) => compare(each, message) < 0) + 1;
  return { ...span, messages: others.toSpliced(next, 0, message) };
}
