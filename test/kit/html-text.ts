/** The text of a page's element without elements of other meaning than `span`. */
export function plainText(markup: string): string {
  return markup
    .replaceAll(/<\/?span[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
