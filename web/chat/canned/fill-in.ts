/** The values of an answer's variables; null if unknown. */
export interface Names {
  readonly contact: string | null;
  readonly employee: string | null;
}

const VARIABLE =
  /([,;]?[ \t]*)\{\{\s*(contact|employee)\s*(?:\|\s*([^{}]*?)\s*)?\}\}([,;]?)([ \t]*)(\p{L}?)/giu;

/**
 * Fills in `{{contact}}` and `{{employee}}`. An unknown name is replaced by the substitute after a bar, as in
 * `{{contact|friend}}`. Without a substitute it is removed together with its comma: "Hello, {{contact}}!" becomes
 * "Hello!", and "{{contact}}, it is ready" becomes "It is ready".
 */
export function fillIn(text: string, names: Names): string {
  return text.replaceAll(
    VARIABLE,
    (_, lead: string, key: string, instead = "", comma: string, gap: string, letter: string, at: number) => {
      const value = names[key.toLowerCase() as keyof Names] ?? instead;
      if (value !== "") return lead + value + comma + gap + letter;
      const beginsSentence = /(^|[.!?…\n])\s*$/.test(text.slice(0, at) + lead);
      return beginsSentence ? lead + letter.toUpperCase() : comma + gap + letter;
    },
  );
}

interface Person {
  readonly name: string;
  readonly is_group: boolean;
  readonly username: string | null;
  readonly phone: string | null;
  readonly messenger_chat_id: string;
}

/** The name to greet a chat's contact by; null for a group, and if only a number or a username is known. */
export function contactName({
  name,
  is_group,
  username,
  phone,
  messenger_chat_id: id,
}: Person): string | null {
  const shown = name.trim().replace(/^@/, "");
  const isName = /\p{L}/u.test(shown) && ![username, phone, id].includes(shown);
  return isName && !is_group ? shown : null;
}
