import { isIP } from "node:net";
import { type ConnectionOptions, Producer } from "@platformatic/kafka";
import { messageOf } from "../message-of.ts";
import { connectionFailure } from "../network/connection-failure.ts";
import { type Batcher, createBatcher } from "../queue/batcher.ts";
import {
  type Broker,
  type BrokerMessage,
  type BrokerOptions,
  BrokerTimeout,
  tooLarge,
  within,
} from "./broker.ts";
import { type Link, Links } from "./links.ts";

type Sent = Parameters<Producer["send"]>[0]["messages"][number];
/** All replicas in sync have it. */
const ALL = -1;
/** Of one request. A broker's limit of a batch is usually a million. */
const MAX_BYTES = 500_000;
const MAX_ITEMS = 500;
/** Requests under way: each waits for the replicas. */
const MAX_REQUESTS = 5;
const TOO_LARGE = new Set(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"]);

interface KafkaLink extends Link {
  readonly producer: Producer;
}

/**
 * Kafka: each message waits until all replicas in sync have it. Its key decides about the partition, and a partition keeps
 * the order. The client repeats nothing by itself, and creates no topic.
 */
export class Kafka implements Broker {
  readonly #options: BrokerOptions;
  readonly #links = new Links(() => this.#open());
  /** Messages of different keys share requests. */
  readonly #requests: Batcher<BrokerMessage, undefined>;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#requests = createBatcher<BrokerMessage, undefined>({
      maxItems: MAX_ITEMS,
      maxConcurrent: MAX_REQUESTS,
      weightOf: ({ body }) => body.length,
      maxWeight: MAX_BYTES,
      splitOn: (error) => codeOf(error, TOO_LARGE) !== null,
      run: async (messages) => {
        await this.#send(messages);
        return messages.map(() => undefined);
      },
    });
  }

  async publish(message: BrokerMessage): Promise<void> {
    try {
      await this.#requests.add(message);
    } catch (error) {
      if (codeOf(error, TOO_LARGE) !== null) throw tooLarge(message.body.length, "what the topic allows");
      throw new Error(failureText(error));
    }
  }

  async #send(messages: readonly BrokerMessage[]): Promise<void> {
    const { target: topic, timeoutMs } = this.#options;
    const link = await this.#links.get();
    const sending = link.producer.send({
      messages: messages.map((message) => sentOf(topic, message)),
      acks: ALL,
      autocreateTopics: false,
    });
    try {
      const { unwritableNodes } = await within(
        timeoutMs,
        "Kafka did not confirm the message in time",
        sending,
      );
      if ((unwritableNodes?.length ?? 0) > 0) throw new Error("a broker of the cluster accepts nothing");
    } catch (error) {
      if (error instanceof BrokerTimeout) this.#links.drop(link);
      throw error;
    }
  }

  async check(): Promise<string> {
    const { target, timeoutMs } = this.#options;
    try {
      const { producer } = await this.#links.get();
      const asking = producer.metadata({ topics: [target], autocreateTopics: false, forceUpdate: true });
      const { topics } = await within(timeoutMs, "Kafka does not answer", asking);
      return `the topic "${target}" has ${topics.get(target)?.partitionsCount ?? 0} partitions`;
    } catch (error) {
      throw new Error(failureText(error));
    }
  }

  async close(): Promise<void> {
    await this.#links.close(({ producer }) => within(this.#options.timeoutMs, "", producer.close(true)));
    await this.#requests.close();
  }

  async #open(): Promise<KafkaLink> {
    const { address, timeoutMs } = this.#options;
    const producer = new Producer({
      clientId: "trunkline",
      bootstrapBrokers: address.hosts.map(({ host, port }) => ({ host, port })),
      ...securityOf(address),
      timeout: timeoutMs,
      requestTimeout: timeoutMs,
      connectTimeout: timeoutMs,
      retries: false,
      autocreateTopics: false,
    });
    let isOpen = true;
    return {
      producer,
      isOpen: () => isOpen,
      destroy() {
        isOpen = false;
        void producer.close(true).catch(() => undefined);
      },
    };
  }
}

function securityOf({
  isSecure,
  hosts,
  user,
  password,
  sasl,
}: BrokerOptions["address"]): Pick<ConnectionOptions, "tls" | "tlsServerName" | "sasl"> {
  // Clusters behind one address are told apart by the name (SNI), which an IP address must not be.
  const hasNames = hosts.every(({ host }) => isIP(host) === 0);
  return {
    ...(isSecure ? { tls: {}, tlsServerName: hasNames } : {}),
    ...(sasl === null ? {} : { sasl: { mechanism: sasl, username: user, password } }),
  };
}

function sentOf(topic: string, { id, key, at, body, headers }: BrokerMessage): Sent {
  const entries = Object.entries({ id, ...headers });
  return {
    topic,
    key: Buffer.from(key),
    value: body,
    headers: new Map(entries.map(([name, value]) => [Buffer.from(name), Buffer.from(value)])),
    timestamp: BigInt(at.getTime()),
  };
}

/** The errors within an error, itself first. */
function withCauses(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [error];
  const within = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...within, ...(error.cause === undefined ? [] : [error.cause])].flatMap(withCauses)];
}

/** Kafka's name of the fault, such as MESSAGE_TOO_LARGE; null: none of these. */
function codeOf(error: unknown, codes?: ReadonlySet<string>): string | null {
  for (const each of withCauses(error))
    if (each instanceof Error && "apiId" in each && typeof each.apiId === "string")
      if (codes === undefined || codes.has(each.apiId)) return each.apiId;
  return null;
}

/** Without the client's own codes, which say nothing to operators. */
function failureText(error: unknown): string {
  if (error instanceof BrokerTimeout) return messageOf(error);
  const text = codeOf(error) ?? connectionFailure(withCauses(error).at(-1));
  return `Kafka: ${text.replace(/^PLT_KFK_\w+: /, "")}`;
}
