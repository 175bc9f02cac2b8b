/** The fields of a message that its layout needs. */
export interface Placed {
  readonly id: string;
  readonly type: string;
  /** Milliseconds. */
  readonly time: number;
  readonly isOut: boolean;
  /** The author; messages of one author are grouped. */
  readonly author: string;
  readonly text: string;
  readonly isDeleted: boolean;
  readonly hasQuote: boolean;
  /** Accepted, and not failed: otherwise it shows its own progress, or its failure, and what can be done. */
  readonly isAccepted: boolean;
}

/** A line of the thread that is no message. */
export interface Line {
  readonly id: string;
  readonly order: string;
  readonly at: string;
  readonly deleted_at: string | null;
}

export type ThreadRow<T extends Placed, L extends Line = Line> =
  | { readonly kind: "entry"; readonly key: string; readonly entry: L }
  | { readonly kind: "day"; readonly key: string; readonly time: number }
  | { readonly kind: "unread"; readonly key: "unread"; readonly count: number }
  | {
      readonly kind: "bubble";
      readonly key: string;
      /** More than one: an album. */
      readonly messages: readonly [T, ...T[]];
      /** First of its group: shows the author's name, and space above. */
      readonly isFirst: boolean;
    };

const GROUP_MS = 5 * 60_000;
/** Messengers send an album as separate messages at the same time. */
const ALBUM_MS = 15_000;
const ALBUM_SIZE = 10;

/**
 * The rows of a thread, oldest first: a separator before each day, the unread line before the first of the last
 * `unread` incoming messages, and bubbles grouped by author within five minutes.
 */
export function threadRows<T extends Placed & { readonly order?: string }, L extends Line = Line>(
  messages: readonly T[],
  unreadFrom: string | null = null,
  lines: readonly L[] = [],
): ThreadRow<T, L>[] {
  const rows: ThreadRow<T, L>[] = [];
  const entries = lines.filter(({ deleted_at: deletedAt }) => deletedAt === null);
  let next = 0;
  let before: T | undefined;
  let open: T[] = [];
  let day: Day = { from: 0, to: 0 };
  const beginDay = (id: string, time: number): boolean => {
    const isNewDay = time < day.from || time >= day.to;
    if (isNewDay) {
      day = dayOf(time);
      // With older messages of its day, it is another row in another place.
      rows.push({ kind: "day", key: `day ${id}`, time });
    }
    return isNewDay;
  };
  /** The lines before a message; without one, the rest. */
  const addLines = (order?: string): void => {
    for (let entry = entries[next]; entry !== undefined; entry = entries[++next]) {
      if (order !== undefined && entry.order >= order) return;
      beginDay(entry.id, Date.parse(entry.at));
      rows.push({ kind: "entry", key: entry.id, entry });
      before = undefined;
    }
  };
  messages.forEach((message, index) => {
    addLines(message.order ?? "");
    const isNewDay = beginDay(message.id, message.time);
    const isUnread = message.id === unreadFrom;
    if (isUnread) rows.push({ kind: "unread", key: "unread", count: incomingFrom(messages, index) });
    const last = rows.at(-1);
    if (last?.kind === "bubble" && before !== undefined && joins(open, before, message)) {
      open.push(message);
      rows[rows.length - 1] = { ...last, messages: [last.messages[0], ...open.slice(1)] };
    } else {
      open = [message];
      const isFirst = isNewDay || isUnread || before === undefined || !isNear(before, message);
      rows.push({ kind: "bubble", key: message.id, messages: [message], isFirst });
    }
    before = message;
  });
  addLines();
  return rows;
}

function incomingFrom(messages: readonly Placed[], index: number): number {
  return messages.slice(index).filter(({ isOut }) => !isOut).length;
}

function isNear(before: Placed, message: Placed): boolean {
  return (
    before.isOut === message.isOut &&
    before.author === message.author &&
    message.time - before.time <= GROUP_MS
  );
}

/** Adjacent pictures of one author; a caption is shown below the last. */
function joins(album: readonly Placed[], before: Placed, message: Placed): boolean {
  const isPicture = (each: Placed) =>
    each.type === "image" && !each.isDeleted && !each.hasQuote && each.isAccepted;
  return (
    album.length < ALBUM_SIZE &&
    album.every(isPicture) &&
    isPicture(message) &&
    before.text === "" &&
    isNear(before, message) &&
    message.time - before.time <= ALBUM_MS
  );
}

interface Day {
  /** Milliseconds; `to` is the start of the next day. */
  readonly from: number;
  readonly to: number;
}

/** The day in the reader's time zone. Date objects are slow: a long thread needs one per day, not per message. */
function dayOf(time: number): Day {
  const date = new Date(time);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  return {
    from: new Date(year, month, day).getTime(),
    to: new Date(year, month, day + 1).getTime(),
  };
}

/** The previous row with this key if it is unchanged, so that it is not rendered again. */
export function sameRow<T extends Placed, L extends Line>(
  shown: ThreadRow<T, L> | undefined,
  row: ThreadRow<T, L>,
): ThreadRow<T, L> {
  if (shown?.kind !== "bubble" || row.kind !== "bubble") return row;
  const isSame =
    shown.isFirst === row.isFirst &&
    shown.messages.length === row.messages.length &&
    shown.messages.every((message, index) => message === row.messages[index]);
  return isSame ? shown : row;
}
