import { jsonOf } from "../kit/api/client.ts";
import { online } from "../kit/offline.tsx";

/** A refusal of the sandbox, with its own text. */
export class Refused extends Error {}

/** The sandbox did not respond, or its response broke off. */
export class Unreachable extends Error {}

const BASE = "./admin/phone";

/** An address below `/admin/phone`, with encoded parts. */
export function addressOf(...parts: readonly (string | number)[]): string {
  return [BASE, ...parts.map((part) => encodeURIComponent(part))].join("/");
}

/** One request to the sandbox. Throws `Refused` and `Unreachable`. */
export async function ask<T>(method: string, url: string, body?: object): Promise<T> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  try {
    const answer = await fetch(url, { ...init, cache: "no-store", credentials: "omit" });
    const json = (await jsonOf(answer)) as T & { description?: string };
    online.value = true;
    if (!answer.ok) throw new Refused(json.description ?? `The sandbox answered ${answer.status}`);
    return json;
  } catch (error) {
    if (error instanceof Refused) throw error;
    online.value = false;
    throw new Unreachable("The sandbox does not respond");
  }
}

export async function listOf<T>(url: string): Promise<readonly T[]> {
  return (await ask<{ readonly items: readonly T[] }>("GET", url)).items;
}
