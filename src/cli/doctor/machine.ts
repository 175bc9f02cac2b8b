import { access, constants, mkdir, statfs } from "node:fs/promises";
import type { Config } from "../../config.ts";
import { messageOf } from "../../platform/message-of.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

const GIB = 1024 ** 3;

export function checkNode(): Finding {
  return ok("node", `Node.js ${process.versions.node}`);
}

export async function checkDataDir({ dataDir }: Config): Promise<Finding[]> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    return [
      fail("data directory", messageOf(error), "Let this user own it, or set DATA_DIR to another directory"),
    ];
  }
  const { bavail, bsize } = await statfs(dataDir);
  const freeGib = (bavail * bsize) / GIB;
  const detail = `${freeGib.toFixed(1)} GiB free`;
  const remedy = "Free some space; without it nothing can be stored";
  const disk =
    freeGib < 0.5
      ? fail("disk", detail, remedy)
      : freeGib < 5
        ? warn("disk", detail, remedy)
        : ok("disk", detail);
  return [ok("data directory", dataDir), disk];
}

export function checkPublicUrl({ publicUrl, callbacks, production, sandbox }: Config): Finding {
  const detail = `${publicUrl}, messengers ${callbacks ? "may call it" : "cannot call it: where possible they are polled"}`;
  if (callbacks && !publicUrl.startsWith("https:"))
    return warn(
      "public address",
      detail,
      "Most messengers call https only: set PUBLIC_URL to an https address",
    );
  if (production && !sandbox && !callbacks)
    return warn("public address", detail, "Set PUBLIC_URL to the public https address of this service");
  return ok("public address", detail);
}
