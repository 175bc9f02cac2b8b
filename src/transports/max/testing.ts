import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTestLink } from "../../core/transport/conformance.ts";
import type { ChannelLink } from "../../core/transport/connector.ts";
import type { SettingsOf } from "../../core/transport/definition.ts";
import type { MaxDefinition } from "./definition.ts";
import { Marker } from "./inbound/marker.ts";
import { Receiver } from "./inbound/receiver.ts";
import type { Push } from "./line/client.ts";
import { SentLog } from "./outbound/sent-log.ts";
import { type Ask, People } from "./people/people.ts";
import { TIMING, type Timing } from "./timing.ts";

/** The account in the samples, the person who writes to it, their dialog and their group. */
export const ME = "100200300";
export const ANN = "100200399";
export const DIALOG = String(BigInt(ME) ^ BigInt(ANN));
export const GROUP = "-71234567890123";

const DIRECTORY = join(import.meta.dirname, "samples");

export function sampleNames(): string[] {
  return readdirSync(DIRECTORY).map((file) => file.replace(/\.json$/, ""));
}

/** A push, as passed on by `MaxClient`. */
export function sample(name: string): Push {
  return JSON.parse(readFileSync(join(DIRECTORY, `${name}.json`), "utf8")) as Push;
}

export function settingsFor(
  url: string,
  more: Partial<SettingsOf<MaxDefinition>> = {},
): SettingsOf<MaxDefinition> {
  const wsUrl = `${url.replace(/^http/, "ws")}/websocket`;
  return { wsUrl, codec: "binary", appVersion: "26.9.8", logFrames: "", ...more };
}

export function linkTo(url: string, more: Partial<SettingsOf<MaxDefinition>> = {}) {
  return createTestLink({ credentials: {}, settings: settingsFor(url, more) });
}

/** Intervals short enough for tests, and limits longer than a machine may stop. */
export const FAST: Timing = {
  ...TIMING,
  pingMs: 200,
  silentMs: 8_000,
  callMs: 8_000,
  connectMs: 8_000,
  qrLeastMs: 20,
  pollMs: 10,
  readyAgainMs: 50,
  readyMs: 8_000,
  readyLeastMs: 8_000,
  historyPauseMs: 1,
  firstPauseMs: 20,
};

/** A receiver with known people, and the parts that it uses. */
export function receiverFor(link: ChannelLink, ask: Ask = async () => ({})) {
  const people = new People(ME, async () => ({}));
  people.learnContact({ id: ME, names: [{ name: "Shop" }] });
  people.learnContact({
    id: ANN,
    phone: "79990000002",
    names: [{ name: "Ann" }],
    baseUrl: "https://i.oneme.ru/i?r=ann",
  });
  people.learnChat({ id: DIALOG, type: "DIALOG" });
  people.learnChat({ id: GROUP, type: "CHAT", title: "Friends" });
  const [sent, marker] = [new SentLog(link.vault), new Marker(link)];
  return {
    receiver: new Receiver({ link, people, ask, sent, marker, signal: link.signal }),
    people,
    sent,
    marker,
  };
}
