import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MOUNT = "/bin/mount";
const UMOUNT = "/bin/umount";

/** Mounts a memory disk on a directory; the caller unmounts it. Requires root on Linux. */
export function mountDisk(directory: string, megabytes: number): void {
  const options = `size=${megabytes}m,mode=755`;
  execFileSync(MOUNT, ["-t", "tmpfs", "-o", options, "tmpfs", directory], { stdio: "ignore" });
}

export function unmountDisk(directory: string): void {
  execFileSync(UMOUNT, [directory], { stdio: "ignore" });
}

export function canMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-mount-"));
  try {
    mountDisk(directory, 1);
    unmountDisk(directory);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(directory);
  }
}
