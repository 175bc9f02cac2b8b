/** WhatsApp's site, the only one on which the passkey works. */
export const SITE = "https://web.whatsapp.com";

/** The origin of a page that a service may have; null for other pages, such as the browser's own and WhatsApp's. */
export function serviceOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { origin, protocol, hostname } = new URL(url);
  const isSafe =
    protocol === "https:" || (protocol === "http:" && /^(localhost|127\.0\.0\.1)$/.test(hostname));
  return isSafe && origin !== SITE ? origin : null;
}

/** The permission for an origin. */
export function originsOf(origin: string): { origins: string[] } {
  return { origins: [`${origin}/*`] };
}
