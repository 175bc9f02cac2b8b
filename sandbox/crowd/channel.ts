import { setTimeout as sleep } from "node:timers/promises";
import { connectByKeys } from "../walk/page.ts";
import type { CrowdStage } from "./contract.ts";

const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 50;

interface Channel {
  readonly channel_id: string;
  readonly transport: string;
  readonly status: string;
  readonly reason: string | null;
  /** For a channel that is connected on a page. */
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

/** Creates a channel with credentials, and resolves with its id once it is active. */
export async function connectChannel(
  stage: CrowdStage,
  transport: string,
  credentials: object,
): Promise<string> {
  const { id } = await createChannel(stage, transport, credentials);
  return untilStatus(stage, id, "active");
}

/** Connects a channel by credentials on the page, as a person does. */
export async function connectOnPage(
  stage: CrowdStage,
  transport: string,
  credentials: object,
): Promise<string> {
  const opening = { options: { transport } };
  const { data } = await stage.api<{ data: { link: string } }>("POST", "/v2/iframe-links/channels", opening);
  const id = await connectByKeys(data.link, transport, credentials);
  return untilStatus(stage, id, "active");
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
