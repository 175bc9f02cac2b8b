import { fields, type Read, text } from "../../platform/foreign/foreign-json.ts";
import { isUuid } from "../../platform/ids.ts";
import { type AdoptedChannel, type AdoptionOutcome, adoptChannel, adoptionOf } from "../channel/adopt.ts";
import { type Channel, getChannel } from "../channel/channel.ts";
import type { DumpChannel } from "./dump-row.ts";
import { type Takeover, tolerating } from "./entities.ts";
import { TakeoverFailed } from "./failure.ts";

/** A channel of the original, with what was done about it. */
export interface TakenChannel extends AdoptedChannel {
  readonly outcome: AdoptionOutcome;
  /** Where a person links it; null: it is linked, or it is not here. */
  readonly link: string | null;
}

const v2Channel = fields({ channel_id: text, transport: text, name: text, phone: text, username: text });
const v3Channel = fields({ channelId: text, transport: text, name: text, plainId: text });

/** Creates the channels of the original here, under their ids. Those that are here already stay as they are. */
export async function takeChannels(takeover: Takeover): Promise<readonly TakenChannel[]> {
  const { report } = takeover;
  const part = report.of("channels");
  const taken: TakenChannel[] = [];
  await tolerating(takeover, "channels", async () => {
    const given = await channelsOf(takeover);
    part.read = given.length;
    for (const channel of given) {
      if (channel === null || !isUuid(channel.id)) {
        report.leaveOut("channels", channel?.id.slice(0, 100) ?? "without an id", "its id is no uuid");
        continue;
      }
      taken.push(await takeOne(takeover, channel));
    }
  });
  return taken;
}

async function channelsOf({ original }: Takeover): Promise<(AdoptedChannel | null)[]> {
  const [path, read] = original.hasToken
    ? (["/v2/channels", (given: unknown) => ofV2(v2Channel(given))] as const)
    : (["/v3/channels", (given: unknown) => ofV3(v3Channel(given))] as const);
  const answer = await original.get(path);
  const list = original.hasToken ? (answer as { readonly data?: unknown } | null)?.data : answer;
  if (!Array.isArray(list)) throw new TakeoverFailed(`GET ${path} responds with something else than a list`);
  return list.map(read);
}

function ofV2(given: Read<typeof v2Channel> | undefined): AdoptedChannel | null {
  const { channel_id: id, transport, name = "", phone = "", username = "" } = given ?? {};
  if (id === undefined || transport === undefined) return null;
  return { id: id.toLowerCase(), transport, name, phone, username };
}

function ofV3(given: Read<typeof v3Channel> | undefined): AdoptedChannel | null {
  const { channelId: id, transport, name = "", plainId = "" } = given ?? {};
  if (id === undefined || transport === undefined) return null;
  const isPhone = /^\d{5,15}$/.test(plainId);
  return {
    id: id.toLowerCase(),
    transport,
    name,
    phone: isPhone ? plainId : "",
    username: isPhone ? "" : plainId,
  };
}

async function takeOne(takeover: Takeover, channel: AdoptedChannel): Promise<TakenChannel> {
  const { core, scope, report, isDryRun } = takeover;
  const part = report.of("channels");
  const outcome = await (isDryRun ? adoptionOf(core, scope, channel) : adoptChannel(core, scope, channel));
  if (outcome === "adopted") part.added += 1;
  else if (outcome === "known") part.same += 1;
  else report.leaveOut("channels", `${channel.id} (${channel.transport} ${channel.name})`, REASONS[outcome]);
  const isHere = outcome === "known" || (outcome === "adopted" && !isDryRun);
  const link = isHere ? linkOf(await getChannel(core, scope, channel.id)) : null;
  return { ...channel, outcome, link };
}

const REASONS: Readonly<Record<Exclude<AdoptionOutcome, "adopted" | "known">, string>> = {
  deleted: "it was here and was deleted; its id cannot be used again",
  elsewhere: "another account of this installation has a channel with this id",
  unavailable: "this installation has no such transport",
};

function linkOf({ status, reason, url }: Channel): string | null {
  return status === "disabled" && reason === "unauthorized" ? url : null;
}

/** Those that messages can be stored for. */
export function dumpChannels({ core }: Takeover, channels: readonly TakenChannel[]): DumpChannel[] {
  return channels.flatMap(({ id, transport, outcome }) => {
    const definition = core.transports.get(transport)?.definition;
    const isHere = outcome === "adopted" || outcome === "known";
    return isHere && definition !== undefined ? [{ id, transport, chatTypes: definition.chatTypes }] : [];
  });
}
