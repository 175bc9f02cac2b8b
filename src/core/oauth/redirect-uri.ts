const MAX_LENGTH = 2_000;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Why nobody may be sent there with a code, or null: https, or http on the very machine of the browser, without a
 * fragment (RFC 6749, 3.1.2), a name or password. What is registered is later compared character by character.
 */
export function redirectUriProblem(uri: string): string | null {
  const url = URL.parse(uri);
  if (url === null || uri.length > MAX_LENGTH || /[^\x21-\x7e]/.test(uri)) return "is not an address";
  if (url.hash !== "" || uri.includes("#")) return "must have no fragment";
  if (url.username !== "" || url.password !== "") return "must have no name and no password";
  if (url.protocol === "https:") return null;
  if (url.protocol === "http:" && LOOPBACK.has(url.hostname)) return null;
  return "must begin with https:// (or lead to this machine, such as http://localhost:3000/callback)";
}

/** The address with the answer added to what it has in its query. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value);
  return url.href;
}
