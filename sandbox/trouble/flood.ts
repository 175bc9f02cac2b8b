import { type Fields, invalid } from "../http/fields.ts";
import type { AdminRoute } from "../http/route.ts";
import { snakeCase, withSnakeCase } from "./snake-case.ts";

/** The admin routes that enable the platform's rate limits, or others, and disable them. */
export function floodRoutes<Limits extends object>(
  usual: Limits,
  limit: (limits: Limits | undefined) => void,
): AdminRoute[] {
  return [
    [
      "POST",
      "/flood",
      ({ body }) => {
        const limits = { ...usual, ...readLimits(body, Object.keys(usual)) };
        limit(limits);
        return withSnakeCase(limits);
      },
    ],
    ["DELETE", "/flood", () => limit(undefined)],
  ];
}

function readLimits(body: Fields, names: readonly string[]): object {
  const given = names.map((name) => [name, body.number(snakeCase(name))] as const);
  if (given.some(([, value]) => value !== undefined && value <= 0))
    throw invalid("each limit", "greater than 0");
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
