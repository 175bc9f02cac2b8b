import { onTestFinished, vi } from "vitest";
import { type SandboxOptions, startSandbox } from "./server.ts";
import { demoToken } from "./telegram/demo.ts";

/** JSON for tests, in which any path may be accessed. */
export interface Json {
  readonly [field: string]: Json;
  readonly [index: number]: Json;
}

/** A response of either API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** A sandbox with the demo bot, and shortcuts for calling it. */
export interface Kit {
  readonly url: string;
  readonly token: string;
  /** The `apiRoot` for bot libraries. */
  readonly apiRoot: string;
  /** Calls a method of the demo bot with a JSON body. */
  readonly call: (method: string, parameters?: object) => Promise<Answer>;
  /** The same, for calls that must succeed: returns the result. */
  readonly ok: (method: string, parameters?: object) => Promise<Json>;
  /** The description of the error with which the call must fail. */
  readonly refused: (method: string, parameters?: object) => Promise<string>;
  /** An admin request that must succeed, for example `admin("POST /faults", {...})`. */
  readonly admin: (route: string, body?: object) => Promise<Json>;
  /** An admin request in which Ann acts on the demo bot, for example `ann("messages", {...})`. */
  readonly ann: (action: string, body?: object) => Promise<Json>;
}

/** Until the test finishes, the clocks of the emulators in this process advance only by `POST /time`. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Runs with a new sandbox, and closes it also on failure. */
export async function inSandbox(
  run: (url: string) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  const sandbox = await startSandbox({ seedDemo: true, ...options });
  try {
    await run(sandbox.url);
  } finally {
    await sandbox.close();
  }
}

/** Admin requests of an emulator that must succeed, such as `admin("POST /faults", {…})`. */
export function adminOf(url: string, emulator: string): (route: string, body?: object) => Promise<Json> {
  return async (route, body) => {
    const [method = "GET", path = "/"] = route.split(" ");
    const answer = await requestJson(method, `${url}/admin/${emulator}${path}`, body);
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

/** Runs a test with a new sandbox, and closes it also on failure. */
export async function withSandbox(
  run: (kit: Kit) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await inSandbox((url) => run(openKit(url)), options);
}

function openKit(url: string): Kit {
  const apiRoot = `${url}/telegram`;
  const call = (method: string, parameters: object = {}) =>
    requestJson("POST", `${apiRoot}/bot${demoToken}/${method}`, parameters);
  const admin = adminOf(url, "telegram");
  return {
    url,
    token: demoToken,
    apiRoot,
    call,
    ok: async (method, parameters) => {
      const { body } = await call(method, parameters);
      if (String(body["ok"]) !== "true") throw new Error(`${method}: ${JSON.stringify(body)}`);
      return body["result"] as Json;
    },
    refused: async (method, parameters) => {
      const { status, body } = await call(method, parameters);
      if (Number(body["error_code"]) !== status) throw new Error(`${method}: ${JSON.stringify(body)}`);
      return `${status} ${body["description"]}`;
    },
    admin,
    ann: (action, body) => admin(`POST /bots/1000001/users/111/${action}`, body ?? {}),
  };
}

/** Sends and parses JSON. */
export async function requestJson(method: string, url: string, body?: object): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

/** Sends a multipart form: objects as JSON, `Blob`s as files. */
export async function sendForm(url: string, fields: Readonly<Record<string, unknown>>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.set(name, value, value instanceof File ? value.name : name);
    else form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  const response = await fetch(url, { method: "POST", body: form });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

/** The start of a PNG of the given size: as much of a picture as the emulator reads. */
export function pngFile(width: number, height: number, bytes = 64): File {
  const png = Buffer.alloc(bytes);
  png.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  png.writeUInt32BE(13, 8);
  png.write("IHDR", 12);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return new File([png], "picture.png", { type: "image/png" });
}
