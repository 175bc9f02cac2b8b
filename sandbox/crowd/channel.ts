import { setTimeout as sleep } from "node:timers/promises";
import type { CrowdStage } from "./contract.ts";

const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 50;

interface Channel {
  readonly channel_id: string;
  readonly transport: string;
  readonly status: string;
  readonly reason: string | null;
  /** Of a channel that is connected on a page. */
  readonly url?: string;
}
type Channels = { readonly data: readonly Channel[] };

export async function createChannel(
  stage: CrowdStage,
  transport: string,
  credentials: object,
): Promise<{ readonly id: string; readonly url: string }> {
  const { data } = await stage.api<Channels>("POST", "/v2/channels", { transport, credentials });
  const [{ channel_id: id = "", url = "" } = {}] = data;
  return { id, url };
}

/** Creates a channel whose credentials suffice, and resolves with its id once it is active. */
export async function connectChannel(
  stage: CrowdStage,
  transport: string,
  credentials: object,
): Promise<string> {
  const { id } = await createChannel(stage, transport, credentials);
  return untilStatus(stage, id, "active");
}

/** Connects a channel by the form of a page, as a person does. */
export async function connectOnPage(
  stage: CrowdStage,
  transport: string,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const before = await channelIds(stage, transport);
  const opening = { options: { transport } };
  const { data } = await stage.api<{ data: { link: string } }>("POST", "/v2/iframe-links/channels", opening);
  const answer = await fetch(data.link, { method: "POST", body: new URLSearchParams(form) });
  if (!answer.ok) throw new Error(`the page answers ${answer.status}`);
  const [id] = (await channelIds(stage, transport)).filter((one) => !before.includes(one));
  if (id === undefined) throw new Error("the page made no channel");
  return untilStatus(stage, id, "active");
}

async function channelIds(stage: CrowdStage, wanted: string): Promise<string[]> {
  const { data } = await stage.api<Channels>("GET", "/v2/channels");
  return data.filter(({ transport }) => transport === wanted).map(({ channel_id: id }) => id);
}

/** Follows the link on a channel's page to the messenger's own dialog. */
export async function openDialog(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const dialog = /class="button" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  if (dialog === undefined) throw new Error("the page leads nowhere");
  await fetch(dialog);
}

/** `status` is a status, or a status and its reason, such as `init/qr`. Resolves with the channel's id. */
export async function untilStatus(stage: CrowdStage, id: string, status: string): Promise<string> {
  const end = performance.now() + PATIENCE_MS;
  for (let found = ""; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
    const { data } = await stage.api<Channels>("GET", `/v2/channels/${id}`);
    const [channel] = data;
    found = channel === undefined ? "" : [channel.status, channel.reason ?? []].flat().join("/");
    if (found === status) return id;
  }
  throw new Error(`channel ${id} did not become ${status}`);
}
