const MAX_LENGTH = 2_000;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Why an address is not allowed as a redirect target, or null. Allowed are https, and http on loopback, without
 * fragment (RFC 6749, 3.1.2), user name or password. Registered addresses are later compared exactly.
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

/** The address with the response parameters added to its query. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value);
  return url.href;
}
