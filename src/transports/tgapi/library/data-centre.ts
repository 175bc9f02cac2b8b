import type { DcOptions } from "@mtcute/core/utils.js";

const FIRST = 2;

/** Parses a data centre setting such as `tcp://149.154.167.50:443/?dc=2`. Throws if it is invalid. */
export function readDataCentre(address: string): DcOptions {
  const url = new URL(address);
  const id = Number(url.searchParams.get("dc") ?? FIRST);
  const port = Number(url.port || 443);
  if (!Number.isSafeInteger(id) || id < 1) throw new Error("The data centre has no number");
  const place = { id, ipAddress: url.hostname.replace(/^\[|\]$/g, ""), port };
  return { main: place, media: { ...place, mediaOnly: true } };
}
