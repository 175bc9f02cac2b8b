/** The address of a message broker. */
export interface BrokerAddress {
  readonly kind: "amqp" | "nats" | "kafka";
  readonly isSecure: boolean;
  /** At least one. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** Both empty: none. */
  readonly user: string;
  readonly password: string;
  /** The virtual host of RabbitMQ; otherwise "". */
  readonly path: string;
  /** How Kafka's user signs in; null: there is none. */
  readonly sasl: SaslMechanism | null;
}

const SASL_MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;
type SaslMechanism = (typeof SASL_MECHANISMS)[number];

const PORTS = { amqp: [5672, 5671], nats: [4222, 4222], kafka: [9092, 9092] } as const;
const EXAMPLE =
  "must look like amqps://user:password@host:5671/vhost, nats://user:password@host:4222 or kafkas://user:password@host:9092";
const ENCODED =
  "special characters of user, password and virtual host are percent-encoded, such as %40 for @";
const FORM =
  /^(amqp|nats|kafka)(s?):\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)(?:\/([^/?#@]*))?(?:\?sasl=([\w-]+))?$/;

/**
 * Parses `amqp(s)://`, `nats(s)://` and `kafka(s)://` addresses; several hosts are separated by commas. Throws an Error that says what is
 * expected, without the address.
 */
export function parseBrokerAddress(text: string): BrokerAddress {
  const [, kind, secure, user, password, hosts = "", path, sasl] = FORM.exec(text) ?? [];
  if (kind !== "amqp" && kind !== "nats" && kind !== "kafka") throw new Error(`${EXAMPLE}; ${ENCODED}`);
  if (sasl !== undefined && (kind !== "kafka" || !user))
    throw new Error("may have sasl= only for a user of Kafka");
  if (path && kind !== "amqp") throw new Error("must have no path: only RabbitMQ has virtual hosts");
  const isSecure = secure === "s";
  return {
    kind,
    isSecure,
    hosts: hosts.split(",").map((host) => parseHost(host, PORTS[kind][isSecure ? 1 : 0])),
    user: decoded(user),
    password: decoded(password),
    path: kind === "amqp" ? decoded(path) || "/" : "",
    sasl: kind === "kafka" && user ? mechanismOf(sasl ?? "PLAIN") : null,
  };
}

/** The address without credentials, as logs and the console show it. Pure. */
export function shownAddress({ kind, isSecure, hosts, path }: BrokerAddress): string {
  const shown = hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`).join(",");
  const vhost = path === "" || path === "/" ? "" : `/${encodeURIComponent(path)}`;
  return `${kind}${isSecure ? "s" : ""}://${shown}${vhost}`;
}

function parseHost(text: string, fallback: number): BrokerAddress["hosts"][number] {
  const [, ipv6, name, digits] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = digits === undefined ? fallback : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) throw new Error(`${EXAMPLE}; ${ENCODED}`);
  return { host, port };
}

function mechanismOf(text: string): SaslMechanism {
  const found = SASL_MECHANISMS.find((one) => one === text.toUpperCase());
  if (found === undefined) throw new Error(`must have sasl=${SASL_MECHANISMS.join(" or sasl=")}`);
  return found;
}

function decoded(text = ""): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`${EXAMPLE}; ${ENCODED}`);
  }
}
