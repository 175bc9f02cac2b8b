import { AppError } from "../core/errors.ts";
import type { App } from "./app.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] as const;
type Method = (typeof METHODS)[number];

/**
 * Collects every route from now on. Call the returned function after the last one: it adds OPTIONS and the responses
 * for methods that a path does not have.
 */
export function collectMethods(app: App): (app: App) => void {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByUrl.set(url, methods);
  });
  return (target) => {
    for (const [url, methods] of [...methodsByUrl]) addMissing(target, url, methods);
  };
}

function addMissing(app: App, url: string, methods: ReadonlySet<string>): void {
  const allow = METHODS.filter((method) => methods.has(method) || method === "OPTIONS").join(", ");
  const missing = METHODS.filter((method) => !methods.has(method));
  if (missing.length === 0) return;
  app.route({
    method: [...missing] as Method[],
    url,
    schema: { hide: true } as object,
    // Before the body is read: it is not needed for a method that does not exist.
    onRequest: async (request, reply) => {
      reply.header("allow", allow);
      if (request.method !== "OPTIONS") throw new AppError("METHOD_NOT_ALLOWED");
      return reply.code(204).send();
    },
    handler: () => undefined,
  });
}
