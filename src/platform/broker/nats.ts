import { isIP } from "node:net";
import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import {
  connect,
  headers as createHeaders,
  errors,
  type NatsConnection,
  type TlsOptions,
} from "@nats-io/transport-node";
import { connectionFailure } from "../network/connection-failure.ts";
import {
  type Broker,
  type BrokerMessage,
  type BrokerOptions,
  BrokerTimeout,
  tooLarge,
  within,
} from "./broker.ts";
import { firstHost } from "./first-host.ts";
import { type Link, Links } from "./links.ts";

/** Milliseconds; after two of them without an answer the connection is given up. */
const PING_MS = 15_000;
/** JetStream's code for a message that is larger than the stream allows. */
const MESSAGE_TOO_LARGE = 10_054;
/** Bytes of headers besides those of the message: the id, and the line of the version. */
const MORE_HEADERS = 64;

interface NatsLink extends Link {
  readonly connection: NatsConnection;
  readonly stream: JetStreamClient;
}

/** NATS with JetStream: each message waits for the acknowledgement of its stream, which recognises repetitions by their id. */
export class Nats implements Broker {
  readonly #options: BrokerOptions;
  readonly #links = new Links(() => this.#open());

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  async publish(message: BrokerMessage): Promise<void> {
    const link = await this.#links.get();
    refuseTooLarge(message, link.connection);
    const { target, timeoutMs } = this.#options;
    const subject = `${target}.${message.route}`;
    const headers = createHeaders();
    for (const [name, value] of Object.entries(message.headers)) headers.set(name, value);
    const options = { msgID: message.id, headers, timeout: timeoutMs };
    try {
      // Its own limit does not cover a connection that hangs while it writes.
      const publishing = link.stream.publish(subject, message.body, options);
      await within(timeoutMs * 2, "NATS did not confirm the message in time", publishing);
    } catch (error) {
      throw this.#failureOf(error, { link, subject, size: message.body.length });
    }
  }

  #failureOf(
    error: unknown,
    { link, subject, size }: { readonly link: NatsLink; readonly subject: string; readonly size: number },
  ): Error {
    if (error instanceof errors.TimeoutError || error instanceof BrokerTimeout) {
      this.#links.drop(link);
      return new Error("NATS did not confirm the message in time");
    }
    if (error instanceof JetStreamApiError && error.code === MESSAGE_TOO_LARGE)
      return tooLarge(size, "what the stream allows");
    if (isUnheard(error)) return new Error(`no stream of JetStream takes "${subject}"`);
    return new Error(`NATS: ${connectionFailure(error)}`);
  }

  async check(): Promise<string> {
    const { connection, stream } = await this.#links.get();
    const { target, timeoutMs } = this.#options;
    const subject = `${target}.>`;
    try {
      const manager = await within(timeoutMs, "JetStream does not answer", stream.jetstreamManager());
      const found = await within(timeoutMs, "JetStream does not answer", manager.streams.find(subject));
      return `the stream "${found}" takes "${subject}" (${connection.getServer()})`;
    } catch (error) {
      throw new Error(`NATS: "${subject}": ${connectionFailure(error)}`);
    }
  }

  close(): Promise<void> {
    return this.#links.close(({ connection }) => connection.close());
  }

  #open(): Promise<NatsLink> {
    return firstHost(this.#options.address.hosts, (host) => this.#openAt(host));
  }

  async #openAt({ host, port }: BrokerOptions["address"]["hosts"][number]): Promise<NatsLink> {
    const { address, timeoutMs } = this.#options;
    const { user, password, isSecure } = address;
    const connecting = connect({
      servers: `${host.includes(":") ? `[${host}]` : host}:${port}`,
      ...credentials(user, password),
      // For an IP address the client names no host, and would compare the certificate with "localhost".
      ...(isSecure ? { tls: isIP(host) === 0 ? {} : ({ host } as TlsOptions) } : {}),
      name: "trunkline",
      timeout: timeoutMs,
      pingInterval: PING_MS,
      maxPingOut: 2,
      // What was written to a lost connection must fail, not wait in memory for the next one.
      reconnect: false,
    });
    const late = (connection: NatsConnection) => connection.close();
    const connection = await within(timeoutMs, `NATS at ${host} does not answer`, connecting).catch(
      (error: unknown) => {
        connecting.then(late).catch(() => undefined);
        throw new Error(`NATS: ${connectionFailure(error)}`);
      },
    );
    return {
      connection,
      stream: jetstream(connection),
      isOpen: () => !connection.isClosed(),
      destroy: () => void connection.close().catch(() => undefined),
    };
  }
}

/** A user without a password is a token. */
function credentials(
  user: string,
  pass: string,
): { user: string; pass: string } | { token: string } | undefined {
  if (user === "") return undefined;
  return pass === "" ? { token: user } : { user, pass };
}

/** A server closes the connection for it. */
function refuseTooLarge({ body, headers }: BrokerMessage, { info }: NatsConnection): void {
  const headerBytes = Object.entries(headers).map(([name, value]) => name.length + value.length + 4);
  const size = headerBytes.reduce((sum, bytes) => sum + bytes, body.length + MORE_HEADERS);
  if (info !== undefined && size > info.max_payload) throw tooLarge(size, info.max_payload);
}

function isUnheard(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof errors.RequestError && error.cause.isNoResponders();
}
