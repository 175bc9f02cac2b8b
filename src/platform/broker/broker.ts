import type { BrokerAddress } from "./address.ts";

/** A message for a broker. */
export interface BrokerMessage {
  /** The same for each repetition. */
  readonly id: string;
  /** Messages with the same key keep their order. */
  readonly key: string;
  /** Words separated by dots, by which consumers choose: the routing key, or the end of the subject. */
  readonly route: string;
  readonly kind: string;
  readonly at: Date;
  /** JSON. */
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A connection to a message broker, made when it is needed. Any number of messages may be published concurrently. A broker
 * that does not answer in time is disconnected, so that nothing of what was given up is stored later than its repetition.
 */
export interface Broker {
  /**
   * Resolves when the broker has confirmed that it stored the message. Throws `MessageRefused` if it refuses this one, and
   * other errors if it accepts nothing now, or if it is unknown whether it has the message.
   */
  publish(message: BrokerMessage): Promise<void>;
  /** Connects, and looks for the target. Resolves with words about it. Throws what `publish` would throw. */
  check(): Promise<string>;
  /** Ends the connection. What is being published fails. */
  close(): Promise<void>;
}

export interface BrokerOptions {
  readonly address: BrokerAddress;
  /** The exchange, the first words of subjects, or the topic. */
  readonly target: string;
  /** For the connection, and for each confirmation. */
  readonly timeoutMs: number;
}

/** The broker accepts messages, but not this one. */
export class MessageRefused extends Error {}

/** Nothing is loaded, and no connection made, before the first use. */
export function createBroker(options: BrokerOptions): Broker {
  let loading: Promise<Broker> | null = null;
  const broker = (): Promise<Broker> => {
    loading ??= load(options);
    return loading;
  };
  return {
    publish: async (message) => (await broker()).publish(message),
    check: async () => (await broker()).check(),
    close: async () => (await loading)?.close(),
  };
}

async function load(options: BrokerOptions): Promise<Broker> {
  switch (options.address.kind) {
    case "amqp":
      return new (await import("./rabbitmq.ts")).RabbitMq(options);
    case "nats":
      return new (await import("./nats.ts")).Nats(options);
    case "kafka":
      return new (await import("./kafka.ts")).Kafka(options);
  }
}

/** Why a message of this size cannot be stored. */
export function tooLarge(bytes: number, limit: number | string): MessageRefused {
  return new MessageRefused(`the message has ${bytes} bytes, and the broker takes at most ${limit}`);
}

/** Rejects with `what` when the time is over; `work` may still end later. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new BrokerTimeout(what)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The broker did not answer in time. */
export class BrokerTimeout extends Error {}
