/** System errors and undici's by their codes: their own messages name the address that was tried. */
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
  EAI_AGAIN: "the name could not be looked up for now",
  ENOTFOUND: "the name is unknown",
  ETIMEOUT: "the name servers did not answer",
  ESERVFAIL: "the name servers failed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
};

/**
 * Why a request to an address of a client failed, for that client to read: code and reason, but not what its name
 * resolves to, which in a network that an operator allowed is nobody's business.
 */
export function connectionFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no complete answer in time";
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const meaning = code === null ? undefined : MEANINGS[code];
  if (meaning !== undefined) return `${code}: ${meaning}`;
  const text = error.message || (error.cause instanceof Error ? connectionFailure(error.cause) : error.name);
  return code === null ? text : `${code}: ${text}`;
}
