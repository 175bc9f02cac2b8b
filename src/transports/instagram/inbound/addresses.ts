const SITE = "https://www.instagram.com";
const PAGES = /^(((www|m|l|lm)\.)?(instagram|facebook)\.com|fb\.watch|ig\.me)$/;
const FILES = /(^|\.)(fbsbx\.com|fbcdn\.net|cdninstagram\.com)$|^lookaside\.(instagram|facebook)\.com$/;
const FILE_NAME = /\.(jpe?g|png|webp|gif|heic|mp4|mov|m4a)$/i;

/** Some addresses in reports are only a path. */
const parse = (url: string): URL | null => (url.startsWith("/") ? URL.parse(url, SITE) : URL.parse(url));

/** A page of Instagram or Facebook for people, such as that of a post: not its file. */
export function isPage(url: string): boolean {
  return PAGES.test(parse(url)?.hostname ?? "");
}

/** A file on Meta's servers. */
export function isMetaFile(url: string): boolean {
  return FILES.test(parse(url)?.hostname ?? "");
}

/** Whether the address looks like that of a file. */
export function isFileAddress(url: string): boolean {
  return isMetaFile(url) || FILE_NAME.test(parse(url)?.pathname ?? "");
}

/** The address that people see: links in messages lead through a page that redirects (`l.php?u=…`). */
export function targetOf(url: string): string {
  const address = parse(url);
  if (address === null || !isPage(url)) return url;
  const target = /^lm?\./.test(address.hostname) ? address.searchParams.get("u") : null;
  return target ?? (url.startsWith("/") ? address.href : url);
}
