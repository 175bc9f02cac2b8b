/** Descriptions of system and undici errors by code; the errors' own messages contain the address. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ECONNABORTED: "the connection was aborted",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host is unreachable",
  EHOSTDOWN: "the host is down",
  ENETUNREACH: "the network is unreachable",
  ENETDOWN: "the network is down",
  EADDRNOTAVAIL: "the address is not available",
  EACCES: "the connection is not permitted",
  EPERM: "the connection is not permitted",
  EINVAL: "the address is not valid",
  EAI_AGAIN: "the name could not be resolved for now",
  ENOTFOUND: "the name is unknown",
  ETIMEOUT: "the name servers did not respond",
  ESERVFAIL: "the name servers failed",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
};

/**
 * Describes why a request to a client's URL failed, for that client: code and reason. It does not contain the
 * resolved address, because that would reveal a network which only the operator may know.
 */
export function connectionFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no complete response in time";
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const meaning = code === null ? undefined : MEANINGS[code];
  if (meaning !== undefined) return `${code}: ${meaning}`;
  const text = error.message || (error.cause instanceof Error ? connectionFailure(error.cause) : error.name);
  return code === null ? text : `${code}: ${text}`;
}
