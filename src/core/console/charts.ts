import { type Queryable, type Statement, sql } from "../../database/database.ts";
import { INSTALLATION, isOfInstallation, type StatisticKind } from "../statistics/statistics.ts";

/** Ranges of a chart, by the seconds between two points. */
export const CHART_RANGES = {
  hour: { stepSeconds: 300, points: 13 },
  day: { stepSeconds: 3_600, points: 25 },
  month: { stepSeconds: 86_400, points: 31 },
} as const;
export type ChartRange = keyof typeof CHART_RANGES;
/** What each line of a chart stands for. `subject`: a channel or a receiver. */
export const CHART_GROUPS = ["label", "subject", "transport"] as const;
export type ChartGroup = (typeof CHART_GROUPS)[number];

/** Lines of a chart; further ones are added up as `other`. */
const MAX_LINES = 6;

export interface ChartLine {
  /** Result, error code, id or transport; "" stands for all others together. */
  readonly key: string;
  /** Of a channel or receiver. */
  readonly name: string;
  /** Of that channel or receiver; null: of another kind of line, or deleted for good. */
  readonly accountId: number | null;
  readonly isRest: boolean;
  /** By point; means and peaks are in milliseconds, or depths. Null: nothing was counted. */
  readonly counts: readonly number[];
  readonly means: readonly (number | null)[];
  readonly peaks: readonly (number | null)[];
}

export interface Chart {
  /** Start of the first point. */
  readonly from: Date;
  readonly stepSeconds: number;
  readonly points: number;
  /** The largest first. */
  readonly lines: readonly ChartLine[];
}

export interface ChartQuestion {
  /** Null: all accounts. Ignored for what is counted for the installation. */
  readonly accountId: number | null;
  readonly kind: StatisticKind;
  readonly by: ChartGroup;
  readonly range: ChartRange;
  /** Only of this channel or receiver. */
  readonly subject: string | null;
}

const FROM = `statistics s where s.account_id = any($1::bigint[]) and s.span_seconds = $2 and s.kind = $3 and s.at >= $4
  and ($5::uuid is null or s.subject = $5)`;
const lineStatement = (by: ChartGroup, key: string): Statement =>
  sql(
    `console_chart_${by}`,
    `select ${key} as key, s.at, sum(s.count)::float8 as count, sum(s.total) as total, max(s.peak) as peak
     from ${FROM} group by 1, 2`,
  );
const LINES: Readonly<Record<ChartGroup, Statement>> = {
  label: lineStatement("label", "s.label"),
  subject: lineStatement("subject", "s.subject::text"),
  transport: lineStatement(
    "transport",
    `coalesce((select c.transport from channels c where c.id = s.subject and c.account_id = s.account_id), '')`,
  ),
};
const ACCOUNTS = sql("console_chart_accounts", "select id from accounts");
const NAMES = sql(
  "console_chart_names",
  `select id::text, account_id as "accountId", coalesce(nullif(name, ''), nullif(phone, ''), nullif(username, ''), transport) as name from channels
   where account_id = any($2::bigint[]) and id = any($1::uuid[])
   union all select id::text, account_id, split_part(url, '?', 1) from webhook_endpoints
   where account_id = any($2::bigint[]) and id = any($1::uuid[])`,
);

interface Row {
  readonly key: string;
  readonly at: Date;
  readonly count: number;
  readonly total: number;
  readonly peak: number;
}

/** The points up to now; the last one is not complete yet. */
export async function readChart(db: Queryable, now: Date, question: ChartQuestion): Promise<Chart> {
  const { stepSeconds, points } = CHART_RANGES[question.range];
  const stepMs = stepSeconds * 1_000;
  const from = new Date((Math.floor(now.getTime() / stepMs) - points + 1) * stepMs);
  const accounts = await accountsOf(db, question);
  const values = [accounts, stepSeconds, question.kind, from, question.subject];
  const rows = await db.query<Row>(LINES[question.by], values);
  const lines = linesOf(rows, (at) => Math.round((at.getTime() - from.getTime()) / stepMs), points);
  const names = question.by === "subject" ? await namesOf(db, accounts, lines) : new Map<string, Named>();
  const named = lines.map((line) => ({ ...line, ...names.get(line.key) }));
  return { from, stepSeconds, points, lines: named };
}

async function accountsOf(db: Queryable, { accountId, kind }: ChartQuestion): Promise<readonly number[]> {
  if (isOfInstallation(kind)) return [INSTALLATION];
  if (accountId !== null) return [accountId];
  return (await db.query<{ id: number }>(ACCOUNTS, [])).map(({ id }) => id);
}

type Named = Pick<ChartLine, "name" | "accountId">;

async function namesOf(
  db: Queryable,
  accounts: readonly number[],
  lines: readonly ChartLine[],
): Promise<Map<string, Named>> {
  const ids = lines.filter(({ isRest }) => !isRest).map(({ key }) => key);
  const rows = await db.query<Named & { id: string }>(NAMES, [ids, accounts]);
  return new Map(rows.map(({ id, ...named }) => [id, named]));
}

interface Point {
  count: number;
  total: number;
  peak: number;
}

/** Pure. The largest lines, and the sum of the others. */
function linesOf(rows: readonly Row[], placeOf: (at: Date) => number, points: number): readonly ChartLine[] {
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const sizes = [...byKey].map(([key, of]) => ({ key, size: of.reduce((sum, { count }) => sum + count, 0) }));
  const ranked = sizes.toSorted((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1));
  const shown = ranked.length > MAX_LINES ? ranked.slice(0, MAX_LINES - 1) : ranked;
  const keys = new Set(shown.map(({ key }) => key));
  const rest = rows.filter(({ key }) => !keys.has(key));
  const line = (key: string, of: readonly Row[], isRest = false): ChartLine => {
    const all = Array.from({ length: points }, (): Point => ({ count: 0, total: 0, peak: 0 }));
    for (const row of of) {
      const point = all[placeOf(row.at)];
      if (point === undefined) continue;
      point.count += row.count;
      point.total += row.total;
      point.peak = Math.max(point.peak, row.peak);
    }
    return {
      key,
      name: "",
      accountId: null,
      isRest,
      counts: all.map(({ count }) => count),
      means: all.map(({ count, total }) => (count === 0 ? null : total / count)),
      peaks: all.map(({ count, peak }) => (count === 0 ? null : peak)),
    };
  };
  return [
    ...shown.map(({ key }) => line(key, byKey.get(key) ?? [])),
    ...(rest.length === 0 ? [] : [line("", rest, true)]),
  ];
}
