import { access, constants, statfs } from "node:fs/promises";
import type { Config } from "../../config.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

const GIB = 1024 ** 3;

export function checkNode(): Finding {
  return ok("node", `Node.js ${process.versions.node}`);
}

export async function checkDataDir({ dataDir }: Config): Promise<Finding[]> {
  try {
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    return [
      fail(
        "data directory",
        messageOf(error),
        "Make this user its owner, or set DATA_DIR to that of the service, which creates it at its first start",
      ),
    ];
  }
  const { bavail, bsize } = await statfs(dataDir);
  const freeGib = (bavail * bsize) / GIB;
  const detail = `${freeGib.toFixed(1)} GiB free`;
  const remedy = "Free some space; the service cannot store anything without it";
  const disk =
    freeGib < 0.5
      ? fail("disk", detail, remedy)
      : freeGib < 5
        ? warn("disk", detail, remedy)
        : ok("disk", detail);
  return [ok("data directory", dataDir), disk];
}

export function checkPublicUrl({ publicUrl, callbacks, production, sandbox }: Config): Finding {
  const detail = `${publicUrl}, messengers ${callbacks ? "may call it" : "cannot call it and are polled where possible"}`;
  if (callbacks && !publicUrl.startsWith("https:"))
    return warn("public address", detail, "Most messengers call only https URLs: set PUBLIC_URL to one");
  if (production && !sandbox && !callbacks)
    return warn("public address", detail, "Set PUBLIC_URL to the public https URL of this service");
  return ok("public address", detail);
}
