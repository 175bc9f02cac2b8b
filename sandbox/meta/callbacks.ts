import type { Callback } from "../callback/queue.ts";
import { isRecord } from "../http/fields.ts";
import { metaJson } from "./json.ts";
import { hubSignatures } from "./signature.ts";

/** The app that is called. */
interface App {
  readonly id: string;
  readonly secret: string;
}

interface Parts {
  readonly orderingKey: string;
  /** The kind of event, or several joined by commas. */
  readonly field: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A callback with the app's signatures. */
export function signedCallback(app: App, url: string, { orderingKey, field, body }: Parts): Callback {
  const text = metaJson(body);
  const headers = { "User-Agent": "facebookexternalua", ...hubSignatures(app.secret, text) };
  return { owner: app.id, url, orderingKey, event: field, text, headers };
}

type Entry = Readonly<Record<string, unknown>>;

/** Events for one address of an app are combined into one callback; `merge` creates its body from all entries. */
export function packByAddress(
  apps: ReadonlyMap<string, App>,
  callbacks: readonly Callback[],
  merge: (entries: readonly Entry[]) => Readonly<Record<string, unknown>>,
): Callback[] {
  const groups = Map.groupBy(callbacks, ({ owner, url }) => `${owner} ${url}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const app = first && apps.get(first.owner);
    if (!first || !app) return group;
    const body = merge(group.flatMap(({ text }) => entriesOf(JSON.parse(text))));
    const field = [...new Set(group.map(({ event }) => event))].join(",");
    const packed = signedCallback(app, first.url, { orderingKey: first.orderingKey, field, body });
    return { ...packed, orderingKeys: group.map(({ orderingKey }) => orderingKey) };
  });
}

function entriesOf(body: unknown): Entry[] {
  const entries = isRecord(body) ? body["entry"] : undefined;
  return Array.isArray(entries) ? entries.filter(isRecord) : [];
}
