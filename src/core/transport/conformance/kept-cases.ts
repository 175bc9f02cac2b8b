/** What of a transport's samples must be found in its events, and what not. Paths are such as `message.photo[].file_id`. */
export interface KeptCases {
  /** Names of the samples, in their order. */
  readonly names: readonly string[];
  /** Fields that are ignored on purpose. */
  readonly ignored: readonly IgnoredField[];
  /** Words that are lost today although they should not be. An entry that is no longer needed fails the test. */
  readonly lost?: readonly LostField[];
  /** Ids that must be found although ids are ignored: they name a file, or something that people know by its id. */
  readonly wanted?: readonly RegExp[];
  /** Lists or objects that hold forms of the same thing, such as sizes of a picture: one of them is enough. */
  readonly oneOf?: readonly RegExp[];
  /** Lists that variants must not lengthen, because other parts refer to their items, or only one item has a meaning. */
  readonly fixed?: readonly Place[];
  /** Fields that variants must not drop, because there is no message without them; `essential` and `decisive` ones beside. */
  readonly needed?: readonly RegExp[];
  /**
   * Forwarded parts that may hold a part of the same kind, by the path of the list or object that holds them. `into`: the
   * field of the part to which the inner one belongs.
   */
  readonly nested?: readonly (Place & { readonly into?: string })[];
}

export interface Place {
  readonly path: RegExp;
  /** Only in samples with these names. */
  readonly samples?: RegExp;
}

export interface IgnoredField extends Place {
  readonly reason: string;
  /** All that is below the path is ignored with it, also fields that nobody knows yet. */
  readonly isWhole?: true;
}

export interface LostField extends Place {
  /** What a person does not see. */
  readonly what: string;
}

/** Fields that no person reads, on any messenger, by their names. A transport's own list has its others. */
const MACHINE_FIELDS: readonly IgnoredField[] = [
  {
    path: /(^|[._\]#])(u?uid|ids?|mid|guid)$|[a-z]Ids?$|(_id|_ids)(\[\])?$/,
    reason: "ids name things for machines",
  },
  { path: /(^|[._#])(sha256|hash|access_key|accessHash|etag)$/, reason: "hashes and keys of access" },
  { path: /(^|[._#])(mime_?type|mimeType|ext)$/i, reason: "the file's kind goes with the file" },
  {
    path: /(^|[.\]#])_?type$|(^|[._#])(kind|status|event|_)$|_type$|[a-z]Type$/,
    reason: "kinds are words of the protocol",
  },
  { path: /(^|[._#])(timestamp|date|time|published_at)$/, reason: "times" },
  { path: /(^|[._#])(lat|latitude|long|lng|longitude)$/, reason: "coordinates are numbers" },
  { path: /(^|[._#])(language_code|language|locale|country)$/, reason: "of the person's device" },
];

/** The entry because of which a field of a sample is ignored; undefined if it must be found. */
export function ignoredBy(
  path: string,
  { ignored, wanted = [] }: KeptCases,
  sample = "",
): IgnoredField | undefined {
  const own = ignored.find((each) => covers(each, path, sample));
  if (own !== undefined || wanted.some((each) => each.test(path))) return own;
  return MACHINE_FIELDS.find((each) => covers(each, path, sample));
}

/** Whether an entry of a list is about a field of a sample. */
export function covers(entry: Place | IgnoredField, path: string, sample: string): boolean {
  if (entry.samples?.test(sample) === false) return false;
  return entry.path.test(path) || ("isWhole" in entry && entry.isWhole === true && isBelow(path, entry.path));
}

/** Whether a part of the path, up to one of its fields, matches. */
export function isBelow(path: string, pattern: RegExp): boolean {
  for (let end = path.length - 1; end > 0; end--)
    if (".[#".includes(path.charAt(end)) && pattern.test(path.slice(0, end))) return true;
  return false;
}
