/** Parts of statements on `chat_order o`: the page before a position, which is `$2` (minute), `$3` (at) and `$4` (id). */
export const BEFORE =
  "o.minute <= $2 and (o.at, o.chat) < (timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid)";
/** A request for the next page also names the minute of its position, which the index starts with. */
export const ORDER = "o.minute desc, o.at desc, o.chat desc";

const NAMES = "c.name || ' ' || coalesce(c.username, '') || ' ' || coalesce(c.phone, '')";
/** Expression on `chats c`: all of its names, as in the index `chats_grams`. */
export const ALL_NAMES = NAMES;
/** Expression on `chats c`: whether a name contains the text; a space before it matches the beginning of a word. */
export const hasName = (text: string): string => `position(lower(${text}) in lower(' ' || ${NAMES})) > 0`;
