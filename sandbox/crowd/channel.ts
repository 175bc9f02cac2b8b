import { setTimeout as sleep } from "node:timers/promises";
import { connectByKeys } from "../walk/page.ts";
import type { CrowdStage } from "./contract.ts";

const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 50;
/** How long after the code was entered the channel may take before the next one is entered. */
const LINKED_WITHIN_MS = 30_000;
const ENTER_AGAIN_MS = 1_000;

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

/**
 * Links the channel as a person does, who enters the code that is shown: the next one if that has expired, or the connection
 * that showed it has ended, before the channel is active. Resolves with the channel's id.
 */
export async function linkChannel(
  stage: CrowdStage,
  id: string,
  enterCode: () => Promise<unknown>,
): Promise<string> {
  const end = performance.now() + PATIENCE_MS;
  for (;;)
    try {
      await untilStatus(stage, id, "init/qr");
      await enterCode();
      return await untilStatus(stage, id, "active", LINKED_WITHIN_MS);
    } catch (error) {
      if ((await statusOf(stage, id)) === "active") return id;
      if (performance.now() > end) throw error;
      await sleep(ENTER_AGAIN_MS);
    }
}

/** `status` is a status, or a status and its reason, such as `init/qr`. Resolves with the channel's id. */
export async function untilStatus(
  stage: CrowdStage,
  id: string,
  status: string,
  patienceMs = PATIENCE_MS,
): Promise<string> {
  const end = performance.now() + patienceMs;
  for (; performance.now() < end; await sleep(LOOK_EVERY_MS))
    if ((await statusOf(stage, id)) === status) return id;
  throw new Error(`channel ${id} did not become ${status}`);
}

async function statusOf(stage: CrowdStage, id: string): Promise<string> {
  const { data } = await stage.api<Channels>("GET", `/v2/channels/${id}`);
  const [channel] = data;
  return channel === undefined ? "" : [channel.status, channel.reason ?? []].flat().join("/");
}
