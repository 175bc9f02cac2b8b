import type { AppChannel, AppLink, ChannelLink } from "../connector.ts";
import { TEST_CALLBACK_SECRET } from "./link.ts";

/** An app's link in memory, over these channels, which records what a transport does with it. */
export interface TestAppLink<Link> extends AppLink<Link> {
  readonly logs: string[];
  /** Kinds of `reportUnknown`. */
  readonly unknown: string[];
  /** Claimed channels by their code, with the credentials that would be stored. */
  readonly claimed: Map<string, unknown>;
}

type AnyLink = Pick<ChannelLink, "request" | "settings" | "codes">;

/** Codes are those of the channels' links; each claim code is valid once. */
export function createTestAppLink<Link extends AnyLink>(options: {
  readonly settings: Link["settings"];
  readonly request: ChannelLink["request"];
  readonly channels: readonly AppChannel<Link>[];
}): TestAppLink<Link> {
  const { settings, request, channels } = options;
  const logs: string[] = [];
  const unknown: string[] = [];
  const claimed = new Map<string, unknown>();
  const bindings = new Map<string, AppChannel<Link>>();
  const byCode: AppLink<Link>["byCode"] = async (code) => {
    const found = channels.find(({ link }) => Object.values(link.codes).includes(code));
    if (found === undefined || claimed.has(code)) return null;
    return { kind: found.link.codes.claim === code ? "claim" : "invitation", channel: found };
  };
  const app = {
    settings,
    callbackSecret: TEST_CALLBACK_SECRET,
    request,
    find: async ({ messengerIds, businessIds }: Parameters<AppLink<Link>["find"]>[0]) =>
      channels.filter(
        ({ messengerId, businessId }) =>
          messengerIds.includes(messengerId) || (businessId !== null && businessIds.includes(businessId)),
      ),
    mayTake: () => true,
    spend: () => undefined,
    byCode,
    async claim(code: string, verified: Parameters<AppLink<Link>["claim"]>[1]) {
      if ((await byCode(code))?.kind !== "claim") return { refusal: "This code is invalid or already used" };
      claimed.set(code, verified.credentials);
      return { profile: verified.profile };
    },
    bind: async (key: string, channel: AppChannel<Link>) => void bindings.set(key, channel),
    reportUnknown: (kind: string) => void unknown.push(kind),
    unknown,
    bound: async (keys: readonly string[]) => new Map([...bindings].filter(([key]) => keys.includes(key))),
    log: (_level: string, message: string) => void logs.push(message),
    logs,
    claimed,
  };
  return app as TestAppLink<Link>;
}
