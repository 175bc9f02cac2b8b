import { type ChannelModel, type ConfirmChannel, connect, type Options } from "amqplib";
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

/** Seconds; after two of them without a sign of life the connection is given up. */
const HEARTBEAT = 15;
/** After this long, a larger message is tried again: the limit may have been raised. */
const LIMIT_LASTS_MS = 60_000;
/** A message that another one has taken along with its channel is sent again on the next one. */
const ATTEMPTS = 3;

interface RabbitLink extends Link {
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
  /** Ids of messages for which no queue is bound. */
  readonly returned: Set<string>;
  /** Why the server closed the channel or blocks it. */
  failure: string | null;
}

/**
 * RabbitMQ 3.8 or newer, by AMQP 0-9-1: persistent, mandatory messages to an exchange, with publisher confirms. Neither the
 * exchange nor queues are declared here.
 */
export class RabbitMq implements Broker {
  readonly #options: BrokerOptions;
  readonly #links = new Links(() => this.#open());
  /** The limit of a message, as learned from a refusal. */
  #maxBytes = Number.POSITIVE_INFINITY;
  #learnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  async publish(message: BrokerMessage): Promise<void> {
    const size = message.body.length;
    if (performance.now() - this.#learnedAt > LIMIT_LASTS_MS) this.#maxBytes = Number.POSITIVE_INFINITY;
    for (let attempt = 1; ; attempt++) {
      if (size > this.#maxBytes) throw tooLarge(size, this.#maxBytes);
      const link = await this.#links.get();
      const known = this.#learnedAt;
      try {
        return await this.#send(link, message);
      } catch (error) {
        if (error instanceof BrokerTimeout) {
          this.#links.drop(link);
          throw new Error(link.failure ?? error.message);
        }
        // A message that is too large closes the channel, and concurrent ones are lost with it.
        if (this.#learnedAt === known || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #send(link: RabbitLink, { id, route, kind, at, body, headers }: BrokerMessage): Promise<void> {
    const { target, timeoutMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const options: Options.Publish = {
      mandatory: true,
      persistent: true,
      messageId: id,
      timestamp: Math.floor(at.getTime() / 1000),
      type: kind,
      contentType: "application/json",
      appId: "trunkline",
      headers,
    };
    link.channel.publish(target, route, body, options, (failure: unknown) => {
      if (failure != null) reject(new Error(link.failure ?? "RabbitMQ did not confirm the message"));
      else if (link.returned.delete(id))
        reject(new Error(`no queue is bound for "${route}" to the exchange "${target}"`));
      else resolve();
    });
    await within(timeoutMs, "RabbitMQ did not confirm the message in time", promise);
  }

  async check(): Promise<string> {
    const link = await this.#links.get();
    const { target, timeoutMs } = this.#options;
    const channel = await within(timeoutMs, "RabbitMQ does not answer", link.connection.createChannel());
    channel.on("error", () => undefined);
    await within(timeoutMs, "RabbitMQ does not answer", channel.checkExchange(target)).catch(
      (error: unknown) => {
        throw new Error(serverText(error));
      },
    );
    await channel.close();
    return `the exchange "${target}" exists`;
  }

  close(): Promise<void> {
    const { timeoutMs } = this.#options;
    return this.#links.close(({ connection }) =>
      within(timeoutMs, "RabbitMQ does not answer", connection.close()),
    );
  }

  #open(): Promise<RabbitLink> {
    const { hosts, path } = this.#options.address;
    return firstHost(hosts, (host) =>
      this.#openAt(host).catch((error: unknown) => {
        throw new Error(openingFailure(error, path));
      }),
    );
  }

  async #openAt({ host, port }: { readonly host: string; readonly port: number }): Promise<RabbitLink> {
    const { address, timeoutMs } = this.#options;
    const { isSecure, user, password, path: vhost } = address;
    const ending = new AbortController();
    const server = {
      protocol: isSecure ? "amqps" : "amqp",
      hostname: host,
      port,
      ...(user === "" ? {} : { username: user, password }),
      vhost: encodeURIComponent(vhost),
      heartbeat: HEARTBEAT,
    };
    const socket = {
      noDelay: true,
      timeout: timeoutMs,
      signal: ending.signal,
      clientProperties: { connection_name: "trunkline" },
    };
    try {
      const connection = await within(
        timeoutMs,
        `RabbitMQ at ${host} does not answer`,
        connect(server, socket),
      );
      connection.on("error", () => undefined);
      const opening = connection.createConfirmChannel();
      const channel = await within(timeoutMs, `RabbitMQ at ${host} does not answer`, opening);
      return this.#linkOf(connection, channel, ending);
    } catch (error) {
      ending.abort();
      throw error;
    }
  }

  #linkOf(connection: ChannelModel, channel: ConfirmChannel, ending: AbortController): RabbitLink {
    let isOpen = true;
    const link: RabbitLink = {
      connection,
      channel,
      returned: new Set(),
      failure: null,
      isOpen: () => isOpen,
      destroy() {
        isOpen = false;
        ending.abort();
      },
    };
    connection.on("error", (error) => {
      link.failure ??= serverText(error);
    });
    connection.on("blocked", (reason) => {
      link.failure = `RabbitMQ blocks publishers: ${reason}`;
    });
    connection.on("unblocked", () => {
      link.failure = null;
    });
    connection.on("close", () => {
      isOpen = false;
      link.failure ??= "RabbitMQ closed the connection";
    });
    channel.on("return", ({ properties }) => link.returned.add(String(properties.messageId)));
    channel.on("error", (error) => {
      link.failure = serverText(error);
      const limit = limitIn(link.failure);
      if (limit === null) return;
      this.#maxBytes = limit;
      this.#learnedAt = performance.now();
    });
    // Without its channel the connection is of no use.
    channel.on("close", () => link.destroy());
    return link;
  }
}

/** The client does not pass on why the server closes a connection that it has just accepted. */
function openingFailure(error: unknown, vhost: string): string {
  const text = serverText(error);
  return text.includes("got <ConnectionClose")
    ? `RabbitMQ: there is no virtual host "${vhost}", or the user may not use it`
    : text;
}

/** What the server said, without the words around it; or why there is no connection. */
function serverText(error: unknown): string {
  const text = connectionFailure(error);
  const [, said] = /with message "(.+)"$/s.exec(text) ?? [];
  return `RabbitMQ: ${said ?? text}`;
}

/** The size that the server allows, if that is what it says. */
function limitIn(text: string): number | null {
  const [, limit] = /message size \d+\D+(\d+)/.exec(text) ?? [];
  return limit === undefined ? null : Number(limit);
}
