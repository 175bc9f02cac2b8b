import { signal } from "@preact/signals";

/** The browser extension `clients/whatsapp-passkey`, which asks for the passkey on the messenger's site by itself. */
const NAME = "trunkline-passkey";

/** Whether the extension is installed, and allowed on this site. */
export const hasExtension = signal(false);

/** Why the extension returned no answer: `cancelled` by the person, `unsupported` by the browser, or `failed`. */
export class NoAnswer extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

interface FromExtension {
  readonly from?: unknown;
  readonly kind?: unknown;
  readonly id?: unknown;
  readonly answer?: object;
  readonly reason?: unknown;
}

/** Looks for the extension, also for one that is allowed later. Returns a function that stops. */
export function findExtension(): () => void {
  const stop = listen(({ kind }) => {
    if (kind === "ready") hasExtension.value = true;
  });
  post({ kind: "hello" });
  return stop;
}

/** Rejects with `NoAnswer`. Call it from a press: the extension starts nothing by itself. */
export function askExtension<Answer extends object>(request: object): Promise<Answer> {
  const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
  return new Promise((resolve, reject) => {
    const stop = listen((message) => {
      if (message.kind !== "result" || message.id !== id) return;
      stop();
      if (message.answer === undefined) reject(new NoAnswer(String(message.reason)));
      else resolve(message.answer as Answer);
    });
    post({ kind: "ask", id, request });
  });
}

function post(message: object): void {
  window.postMessage({ ...message, to: NAME }, location.origin);
}

/** Messages that a script of this very page has posted, which the extension's script counts as. */
function listen(take: (message: FromExtension) => void): () => void {
  const listener = ({ source, origin, data }: MessageEvent<FromExtension | null>): void => {
    if (source === window && origin === location.origin && data?.from === NAME) take(data);
  };
  window.addEventListener("message", listener);
  return () => window.removeEventListener("message", listener);
}
