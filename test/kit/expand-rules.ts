/**
 * What an expand may not contain, because nodes of the release before still work with the schema. Objects that the same
 * file creates are its own: nobody uses them yet. A statement after a comment line `-- tolerated: REASON` is exempt.
 */
interface Rule {
  readonly pattern: RegExp;
  readonly why: string;
}

const NAME = String.raw`(?:if (?:not )?exists )?(?:only )?("?[\w.]+"?)`;
const of = (source: string): RegExp => new RegExp(source.replaceAll("NAME", NAME), "i");

/** The first group of each pattern, where there is one, is the object that must be the file's own. */
const RULES: readonly Rule[] = [
  {
    pattern: of(
      "^drop (?:table|view|materialized view|index|sequence|type|domain|function|procedure|schema) (?:concurrently )?NAME",
    ),
    why: "earlier nodes use it",
  },
  { pattern: of(String.raw`^drop (?:trigger|rule|policy) .*?\bon NAME`), why: "earlier nodes rely on it" },
  {
    pattern: of(String.raw`^alter table NAME .*\bdrop (?!not null|default|expression|identity)`),
    why: "earlier nodes use it",
  },
  { pattern: of(String.raw`^alter table NAME .*\bdrop not null\b`), why: "earlier nodes do not expect null" },
  {
    pattern: of(String.raw`^alter table NAME .*\bdrop (?:default|expression|identity)\b`),
    why: "earlier nodes leave the column out",
  },
  {
    pattern: of(String.raw`^alter (?:materialized view|\w+) NAME.* rename\b`),
    why: "earlier nodes use the name",
  },
  {
    pattern: of(String.raw`^alter (?:materialized view|\w+) NAME.* set schema\b`),
    why: "earlier nodes use the name",
  },
  {
    pattern: of(String.raw`^alter table NAME .*\balter (?:column )?\S+ (?:set data )?type\b`),
    why: "earlier nodes use the type",
  },
  { pattern: of(String.raw`^alter table NAME .*\bset not null\b`), why: "earlier nodes may write null" },
  {
    pattern: of(
      String.raw`^alter table NAME (?:.*, ?)?add (?:column )?(?!constraint|check|unique|primary|foreign|exclude)[^,]*\bnot null(?![^,]*\b(?:default|generated)\b)(?<!\b(?:default|generated)\b[^,]*)`,
    ),
    why: "earlier nodes leave the column out",
  },
  {
    pattern: of(
      String.raw`^alter table NAME (?:.*, ?)?add (?:constraint \S+ )?(?:unique|primary key|exclude|check|foreign key)\b`,
    ),
    why: "earlier nodes may write what it forbids",
  },
  {
    pattern: of(String.raw`^alter table NAME (?:.*, ?)?add [^,]*\b(?:unique|references|check)\b`),
    why: "earlier nodes may write what it forbids",
  },
  {
    pattern: of(String.raw`^create unique index (?:concurrently )?(?:if not exists )?\S* ?\bon NAME`),
    why: "earlier nodes may write what it forbids",
  },
  {
    pattern: of(
      String.raw`^create (?:or replace )?(?:constraint )?(?:trigger|rule|policy) .*?\b(?:on|to) NAME`,
    ),
    why: "it acts on what earlier nodes do",
  },
  {
    pattern: of(
      String.raw`^alter table NAME .*\b(?:detach partition|disable trigger|enable row level|force row level)\b`,
    ),
    why: "earlier nodes rely on it",
  },
  { pattern: of(String.raw`^alter type NAME .*\b(?:drop|rename)\b`), why: "earlier nodes use it" },
  { pattern: of("^(?:truncate(?: table)?|delete from) NAME"), why: "earlier nodes use the rows" },
  { pattern: /^create or replace\b/i, why: "earlier nodes use what it replaces" },
  { pattern: /^(?:revoke|do|call|execute)\b/i, why: "its effect is not visible here" },
];

const CREATED = of(
  "^create (?:unlogged |or replace )?(?:table|view|materialized view|sequence|type|domain|function|procedure|schema) NAME",
);

/** One line for each statement that earlier nodes may not bear. */
export function faultsOfExpand(text: string): string[] {
  const statements = statementsOf(text);
  const own = new Set(statements.flatMap(({ sql }) => nameIn(CREATED.exec(sql))));
  return statements.flatMap(({ sql, isBorne }) => {
    if (isBorne) return [];
    return RULES.flatMap(({ pattern, why }) => {
      const found = pattern.exec(sql);
      const isOwn = nameIn(found).some((name) => own.has(name));
      return found === null || isOwn ? [] : [`${sql.slice(0, 80)}: ${why}`];
    }).slice(0, 1);
  });
}

function nameIn(match: RegExpExecArray | null): string[] {
  const name = match?.[1]?.replaceAll('"', "").toLowerCase();
  return name === undefined ? [] : [name];
}

interface Statement {
  /** On one line, without comments, with strings and bodies emptied. */
  readonly sql: string;
  readonly isBorne: boolean;
}

const COMMENT = String.raw`--[^\n]*|/\*[\s\S]*?\*/`;
const QUOTED = String.raw`'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1`;

function statementsOf(text: string): Statement[] {
  const parts = text.replace(new RegExp(`${COMMENT}|${QUOTED}`, "g"), (found) => {
    if (/^-- tolerated: \S/.test(found)) return "\u0000";
    return found.startsWith("--") || found.startsWith("/*") ? " " : "''";
  });
  return parts
    .split(";")
    .map((part) => ({
      sql: part.replaceAll("\u0000", " ").replaceAll(/\s+/g, " ").trim(),
      isBorne: part.trimStart().startsWith("\u0000"),
    }))
    .filter(({ sql }) => sql !== "");
}
