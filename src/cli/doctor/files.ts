import { Readable } from "node:stream";
import type { Config } from "../../config.ts";
import { newId } from "../../platform/ids.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createS3Store } from "../../platform/s3/store.ts";
import { type Finding, fail, ok } from "./check.ts";

/** Writes, reads and removes a small object. Reports nothing if files are in the data directory. */
export async function checkFiles({ s3 }: Pick<Config, "s3">): Promise<Finding[]> {
  if (s3 === null) return [];
  const name = "files";
  const where = `${s3.endpoint}/${s3.bucket}/${s3.prefix}`;
  const store = createS3Store(s3);
  try {
    const id = `doctor-${newId()}`;
    await store.put(id, Readable.from([Buffer.from("trunkline")]), { maxBytes: 100 });
    const found = Buffer.concat(await store.open(id).toArray()).toString();
    await store.remove(id);
    if (found === "trunkline") return [ok(name, where)];
    return [fail(name, `${where} returned other content than was stored`, "Check for a proxy in between")];
  } catch (error) {
    return [
      fail(
        name,
        `${where}: ${messageOf(error)}`,
        "Check the settings S3_…, and that the key may put, get and delete objects and use uploads in parts",
      ),
    ];
  } finally {
    await store.close();
  }
}
