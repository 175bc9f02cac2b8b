import { answerText, type Exchange } from "./exchange.ts";
import { answerFault, applyBefore, DropLine, type HttpEffect } from "./fault.ts";

/** The platform's response. `json` is the body as sent. */
export interface Reply {
  readonly status: number;
  readonly json: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call that the platform rejects, with the platform's own response. */
export class Refusal extends Error {
  readonly reply: Reply;
  /** The platform has no such path, parameter or field. */
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

/** How one emulated platform handles its calls. `Call` is a parsed request. */
export interface Platform<Call> {
  /** Parses the request. Throws a `Refusal` if it cannot be parsed. */
  open(exchange: Exchange, path: string, signal: AbortSignal): Promise<Call>;
  /** The fault that applies to this call. */
  faultOf(call: Call): CallEffect | undefined;
  run(call: Call): Promise<Reply> | Reply;
  /** Records the call; `call` is undefined if it could not be parsed, `refusal` if it succeeded. */
  note(exchange: Exchange, path: string, outcome: Outcome<Call>): void;
  /** The response to a bug of the emulator itself. */
  internalError(error: unknown): Reply;
}

/** The result of a call. `reply` is undefined if a fault closed the connection. */
export interface Outcome<Call> {
  readonly call: Call | undefined;
  readonly reply: Reply | undefined;
  readonly refusal: Refusal | undefined;
}

/** Serves the calls of an HTTP platform and injects faults. */
export class ApiServer<Call> {
  readonly #platform: Platform<Call>;
  readonly #open = new Set<AbortController>();

  constructor(platform: Platform<Call>) {
    this.#platform = platform;
  }

  /** Ends calls that wait or hang on purpose. */
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
  // The unread body of a rejected request would be parsed as the next request of the connection.
  if (!request.complete) response.setHeader("Connection", "close");
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  answerText(exchange, status, json);
}
