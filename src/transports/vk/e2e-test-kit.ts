import { afterAll, beforeAll, onTestFinished } from "vitest";
import { startSandbox } from "../../../sandbox/server.ts";
import { openSession } from "./session.ts";
import { FAST, linkTo, type VkTestLink } from "./testing.ts";

export const ANN = 700_001;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
/** An emulated VK for the tests of one file, with Ann and Olga. */
export function useVk(): void {
  beforeAll(async () => {
    sandbox = await startSandbox({});
    await admin("/settings", { retry_scale: 0.001 });
    await admin("/users", { id: ANN, first_name: "Ann", last_name: "Bell" });
    await admin("/users", { id: 100, first_name: "Olga", last_name: "Owner" });
  });
  afterAll(() => sandbox.close());
}

export type Json = Record<string, unknown>;

export async function admin<T = Json>(
  path: string,
  body?: object,
  method = body ? "POST" : "GET",
): Promise<T> {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const answer = await fetch(`${sandbox.url}/admin/vk${path}`, init);
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json as T;
}

export interface World {
  readonly groupId: number;
  readonly link: VkTestLink;
  readonly session: Awaited<ReturnType<typeof openSession>>;
  /** Makes Ann act, e.g. `ann("messages", {…})`. */
  readonly ann: <T = Json>(action: string, body?: object) => Promise<T>;
}

/** Creates a community with an open channel, and Ann, who allows messages. */
export async function openWorld(
  callbackUrl: string | null = null,
  attach?: (link: VkTestLink) => void,
): Promise<World> {
  const { id: groupId } = await admin<{ id: number }>("/communities", { owner_id: 100 });
  const { token } = await admin<{ token: string }>("/tokens", { group_id: groupId });
  const ann = <T>(action: string, body: object = {}) =>
    admin<T>(`/communities/${groupId}/users/${ANN}/${action}`, body);
  await ann("allowances");
  const link = linkTo(`${sandbox.url}/vk`, token, callbackUrl);
  attach?.(link);
  const session = await openSession(link, FAST);
  onTestFinished(() => session.close());
  await link.waitFor((event) => event.kind === "link" && event.state.status === "active");
  return { groupId, link, session, ann };
}
