import type { tl } from "@mtcute/core";
import type { Call, Methods } from "../rpc/call.ts";

const day = 86_400;

export const helpMethods = {
  "help.getConfig": (_, call) => config(call),
  "help.getNearestDc": (_, { key }) => ({
    _: "nearestDc",
    country: "NL",
    thisDc: key.dc,
    nearestDc: key.dc,
  }),
  "help.getAppConfig": () => ({ _: "help.appConfig", hash: 1, config: { _: "jsonObject", value: [] } }),
} satisfies Methods;

/** The addresses of the data centres, and the limits for clients (core.telegram.org/constructor/config). */
function config({ world, key }: Call): tl.RawConfig {
  const now = world.clock.now();
  return {
    _: "config",
    date: now,
    expires: now + 3600,
    testMode: false,
    thisDc: key.dc,
    dcOptions: world.dataCentres.map(({ id, host, port }) => ({
      _: "dcOption",
      id,
      ipAddress: host,
      port,
      static: true,
    })),
    dcTxtDomainName: "apv3.example",
    chatSizeMax: 200,
    megagroupSizeMax: 200_000,
    forwardedCountMax: 100,
    onlineUpdatePeriodMs: 210_000,
    offlineBlurTimeoutMs: 5000,
    offlineIdleTimeoutMs: 30_000,
    onlineCloudTimeoutMs: 300_000,
    notifyCloudDelayMs: 30_000,
    notifyDefaultDelayMs: 1500,
    pushChatPeriodMs: 60_000,
    pushChatLimit: 2,
    editTimeLimit: 2 * day,
    revokeTimeLimit: 2 ** 31 - 1,
    revokePmTimeLimit: 2 ** 31 - 1,
    ratingEDecay: 2_419_200,
    stickersRecentLimit: 200,
    channelsReadMediaPeriod: 7 * day,
    callReceiveTimeoutMs: 20_000,
    callRingTimeoutMs: 90_000,
    callConnectTimeoutMs: 30_000,
    callPacketTimeoutMs: 10_000,
    meUrlPrefix: "https://t.me/",
    captionLengthMax: 1024,
    messageLengthMax: 4096,
    webfileDcId: key.dc,
  };
}
