import type { IDataObject } from "n8n-workflow";
import { type Functions, request } from "./request";

/** The interface's own limit of a page. */
const PAGE = 100;
const TEMPLATE_PAGE = 1_000;

interface List {
  readonly path: string;
  readonly query?: IDataObject;
  /** Infinity: all. */
  readonly limit: number;
  readonly itemIndex?: number;
}
interface CursorPage {
  readonly data: readonly IDataObject[];
  readonly meta: { readonly next: string | null };
}

/** Newest first, page by page, as its reader asks for more. */
export async function* newestFirst(context: Functions, { path, query, limit, itemIndex }: List) {
  let left = limit;
  let before: string | undefined;
  while (left > 0) {
    const page = await request<CursorPage>(context, {
      method: "GET",
      path,
      query: { ...query, limit: Math.min(left, PAGE), ...(before === undefined ? {} : { before }) },
      itemIndex,
    });
    yield* page.data;
    left -= page.data.length;
    if (page.meta.next === null) return;
    before = page.meta.next;
  }
}

/** Lists that are paged by a number of entries to skip, until an empty page. */
export async function byOffset(context: Functions, { path, limit, itemIndex }: List): Promise<IDataObject[]> {
  const found: IDataObject[] = [];
  const size = path === "/v2/templates/waba" ? { limit: Math.min(limit, TEMPLATE_PAGE) } : {};
  while (found.length < limit) {
    const query = { offset: found.length, ...size };
    const page = await request<{ data: IDataObject[] }>(context, { method: "GET", path, query, itemIndex });
    if (page.data.length === 0) break;
    found.push(...page.data);
  }
  return found.slice(0, limit);
}
