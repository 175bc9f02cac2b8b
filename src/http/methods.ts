import { AppError } from "../core/errors.ts";
import type { App } from "./app.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] as const;
type Method = (typeof METHODS)[number];

/**
 * Notes every route from now on; the returned function, called when all are there, answers OPTIONS and the methods
 * that a path lacks.
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
    // Before anything is read: the body of a method that does not exist is nobody's business.
    onRequest: async (request, reply) => {
      reply.header("allow", allow);
      if (request.method !== "OPTIONS") throw new AppError("METHOD_NOT_ALLOWED");
      return reply.code(204).send();
    },
    handler: () => undefined,
  });
}
