import { type Json, objectIn, objectsIn, textIn } from "../kit/json.ts";
import type { Graph } from "./graph.ts";

const PAGE = "100";
/** The largest known list is that of the templates of a business, at most 6,000. */
const MAX_PAGES = 100;

/**
 * All items of a paged list, each once (page "Paginated Results" of the Graph API). A page may be empty without being
 * the last one. Throws like `Graph.call`.
 */
export async function listAll(
  graph: Graph,
  path: string,
  { fields, signal }: { readonly fields: string; readonly signal: AbortSignal },
): Promise<Json[]> {
  const items = new Map<string, Json>();
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { fields, limit: PAGE, ...(after === undefined ? {} : { after }) };
    const answer = await graph.call("GET", path, { query, signal });
    for (const item of objectsIn(answer, "data")) items.set(textIn(item, "id") ?? "", item);
    const next = nextPage(answer);
    if (next === undefined || next === after) break;
    after = next;
  }
  return [...items.values()];
}

/** The cursor of the next page; undefined on the last page. */
function nextPage(page: Json): string | undefined {
  const paging = objectIn(page, "paging");
  return textIn(paging, "next") === undefined ? undefined : textIn(objectIn(paging, "cursors"), "after");
}
