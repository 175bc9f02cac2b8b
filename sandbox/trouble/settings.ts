import type { DeliverySettings } from "../callback/queue.ts";
import { type Fields, invalid } from "../http/fields.ts";
import type { AdminRoute } from "../http/route.ts";
import { snakeCase, withSnakeCase } from "./snake-case.ts";

type Kind<T> = [T] extends [boolean] ? "flag" : [T] extends [number] ? "number" | "integer" : readonly T[];
type AnyKind = "flag" | "number" | "integer" | readonly unknown[];

/** How each setting is parsed: by its kind, or as one of these words. */
export type SettingKinds<Settings> = { readonly [Name in keyof Settings]: Kind<Settings[Name]> };

export const deliveryKinds: SettingKinds<DeliverySettings> = {
  retryScale: "number",
  callbackTimeoutMs: "integer",
  deliveries: "integer",
};

/** The admin routes for settings that a test may change. */
export function settingRoutes<Settings extends object>(
  world: { settings: Settings },
  kinds: SettingKinds<Settings>,
): AdminRoute[] {
  return [
    ["GET", "/settings", () => withSnakeCase(world.settings)],
    [
      "POST",
      "/settings",
      ({ body }) => {
        world.settings = { ...world.settings, ...readSettings(body, kinds) };
        return withSnakeCase(world.settings);
      },
    ],
  ];
}

function readSettings(body: Fields, kinds: Readonly<Record<string, AnyKind>>): object {
  const read = Object.entries(kinds).map(([name, kind]) => [name, readSetting(body, snakeCase(name), kind)]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function readSetting(body: Fields, name: string, kind: AnyKind): unknown {
  if (kind === "flag" || kind === "number" || kind === "integer") return body[kind](name);
  const word = body.text(name);
  if (word === undefined || kind.includes(word)) return word;
  throw invalid(name, kind.join(", "));
}
