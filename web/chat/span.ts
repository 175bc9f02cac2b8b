interface Ordered {
  readonly id: string;
  readonly order: string;
}

/** A stretch of a thread without gaps, oldest first. */
export interface Span<T extends Ordered> {
  readonly messages: readonly T[];
  /** Cursor to what is older; null: the thread begins here. */
  readonly before: string | null;
  /** Cursor to what is newer; null: the thread ends here. */
  readonly after: string | null;
}

const compare = (a: Ordered, b: Ordered): number =>
  a.order < b.order ? -1 : a.order > b.order ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

/** Each id once; of the same id the later in the list counts. Messages of `fresh` win over those of `known`. */
function united<T extends Ordered>(known: readonly T[], fresh: readonly T[]): readonly T[] {
  const [last, first] = [known.at(-1), fresh[0]];
  // Pages of a thread meet without overlap nearly always, and a long one is not to be sorted for each of them.
  if (last === undefined || first === undefined || compare(last, first) < 0) return [...known, ...fresh];
  const byId = new Map(known.map((each) => [each.id, each]));
  for (const each of fresh) byId.set(each.id, each);
  return [...byId.values()].sort(compare);
}

/** The page before the span. What the span knows already came later by the stream, and stays. */
export function withOlder<T extends Ordered>(span: Span<T>, page: Span<T>): Span<T> {
  return { messages: united(page.messages, span.messages), before: page.before, after: span.after };
}

/** The page after the span. */
export function withNewer<T extends Ordered>(span: Span<T>, page: Span<T>): Span<T> {
  return { messages: united(page.messages, span.messages), before: span.before, after: page.after };
}

/**
 * The newest page, asked for again after the connection was lost: joined to the span where the two touch, else in its
 * place, for what lies between is not known. What the stream brought after the page was read stays; what the page lacks
 * was erased.
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
 * A message of the stream: replaces the one with its id; a new one is put in its place, unless that lies beyond an end of
 * the span that is not the thread's: it will come with its page.
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
