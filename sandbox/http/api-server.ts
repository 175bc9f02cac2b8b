import { answerText, type Exchange } from "./exchange.ts";
import { answerFault, applyBefore, DropLine, type HttpEffect } from "./fault.ts";

/** What the platform answers. `json` is the body as it goes over the line. */
export interface Reply {
  readonly status: number;
  readonly json: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call that the platform refuses, with the platform's own answer. */
export class Refusal extends Error {
  readonly reply: Reply;
  /** The path, a parameter or a field does not exist on the platform. */
  readonly unknown: boolean;

  constructor(message: string, reply: Reply, unknown = false) {
    super(message);
    this.reply = reply;
    this.unknown = unknown;
  }
}

/** An effect that a fault has on a call: those of HTTP, or a refusal of the platform. */
export interface CallEffect extends HttpEffect {
  readonly refusal?: Refusal;
}

/** What one emulated platform does with its calls. `Call` is a request taken apart. */
export interface Platform<Call> {
  /** Reads the request. Throws a `Refusal` where it cannot be read. */
  open(exchange: Exchange, path: string, signal: AbortSignal): Promise<Call>;
  /** The fault that hits this call. */
  faultOf(call: Call): CallEffect | undefined;
  run(call: Call): Promise<Reply> | Reply;
  /** Records the call; `call` is undefined where it could not be read, `refusal` where it was served. */
  note(exchange: Exchange, path: string, outcome: Outcome<Call>): void;
  /** The answer for a mistake of the emulator itself. */
  internalError(error: unknown): Reply;
}

/** How a call ended. `reply` is undefined when a fault took the line away. */
export interface Outcome<Call> {
  readonly call: Call | undefined;
  readonly reply: Reply | undefined;
  readonly refusal: Refusal | undefined;
}

/** Serves the calls of an HTTP platform, with the faults in between. */
export class ApiServer<Call> {
  readonly #platform: Platform<Call>;
  readonly #open = new Set<AbortController>();

  constructor(platform: Platform<Call>) {
    this.#platform = platform;
  }

  /** Ends the calls that wait or hang on purpose. */
  close(): void {
    for (const call of this.#open) call.abort();
  }

  async serve(exchange: Exchange, path: string): Promise<void> {
    const hangUp = new AbortController();
    this.#open.add(hangUp);
    exchange.response.on("close", () => {
      hangUp.abort();
      this.#open.delete(hangUp);
    });
    let call: Call | undefined;
    let reply: Reply | undefined;
    let failure: unknown;
    try {
      call = await this.#platform.open(exchange, path, hangUp.signal);
      reply = await this.#run(call, hangUp.signal);
    } catch (error) {
      failure = error;
    }
    const refusal = failure instanceof Refusal ? failure : undefined;
    const answer = reply ?? refusal?.reply;
    this.#platform.note(exchange, path, { call, reply: answer, refusal });
    if (answer) send(exchange, answer);
    else if (!answerFault(exchange, failure)) send(exchange, this.#platform.internalError(failure));
  }

  async #run(call: Call, signal: AbortSignal): Promise<Reply> {
    const effect = this.#platform.faultOf(call);
    if (effect) await applyBefore(effect, signal);
    if (effect?.refusal) throw effect.refusal;
    const reply = await this.#platform.run(call);
    if (effect?.drop === "after") throw new DropLine();
    return reply;
  }
}

function send(exchange: Exchange, { status, json, headers }: Reply): void {
  const { request, response } = exchange;
  // A body that was refused unread would be taken for the next request of the connection.
  if (!request.complete) response.setHeader("Connection", "close");
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  answerText(exchange, status, json);
}
