import { constants } from "node:fs";
import { copyFile, mkdir, open, readdir, rename, rm, stat, truncate } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type StagedUpload, StagedUploadLost, type UploadPart } from "./staged-upload.ts";

/** Each writer uses its own file, so that a writer presumed dead cannot write into another's file. */
function partPath(target: string, writer: number): string {
  return `${target}.${writer}.part`;
}

/** See `FileStore.append`. */
export async function appendOnDisk(
  target: string,
  draft: StagedUpload | null,
  { writer, bytes, takesOver = false }: UploadPart,
): Promise<StagedUpload> {
  const part = partPath(target, writer);
  const offset = draft?.bytes ?? 0;
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  if (draft !== null) await requirePart(target, draft);
  if (draft !== null && draft.writer !== writer) {
    // No progress refers to those of earlier writers any more. Later ones may be at work, if this one is presumed dead.
    await removeParts(target, (each) => each < Math.min(draft.writer, writer));
    const earlier = partPath(target, draft.writer);
    await (takesOver ? rename(earlier, part) : copyFile(earlier, part, constants.COPYFILE_FICLONE));
  }
  const handle = await open(part, "a", 0o600);
  try {
    // An earlier attempt may have left data behind the counted bytes.
    await handle.truncate(offset);
    await handle.writeFile(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  return { bytes: offset + bytes.reduce((sum, { length }) => sum + length, 0), writer };
}

async function requirePart(target: string, { writer, bytes }: StagedUpload): Promise<void> {
  const { size } = await stat(partPath(target, writer)).catch((cause: unknown) => {
    throw new StagedUploadLost(basename(target), cause);
  });
  if (size < bytes) throw new StagedUploadLost(basename(target));
}

/** See `FileStore.complete`. */
export async function completeOnDisk(target: string, draft: StagedUpload): Promise<void> {
  try {
    await requirePart(target, draft);
    await truncate(partPath(target, draft.writer), draft.bytes);
    await rename(partPath(target, draft.writer), target);
  } catch (error) {
    const done = await stat(target).catch(() => undefined);
    if (done?.size !== draft.bytes) throw error;
  }
  await removeLeftovers(target);
  const handle = await open(dirname(target), "r");
  await handle.sync().finally(() => handle.close());
}

/** See `FileStore.discard`. Later writers may be at work. */
export async function discardOnDisk(target: string, draft: StagedUpload): Promise<void> {
  await removeParts(target, (writer) => writer <= draft.writer);
}

/** Removes the unfinished files that killed processes left for a file that is now complete, or removed. */
export async function removeLeftovers(target: string): Promise<void> {
  await removeParts(target, () => true);
}

async function removeParts(target: string, isUnused: (writer: number) => boolean): Promise<void> {
  const names = await readdir(dirname(target)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const left = names.filter((name) => {
    const isPart = name.startsWith(`${basename(target)}.`) && name.endsWith(".part");
    return isPart && isUnused(Number(name.split(".").at(-2)));
  });
  await Promise.all(left.map((name) => rm(join(dirname(target), name), { force: true })));
}
