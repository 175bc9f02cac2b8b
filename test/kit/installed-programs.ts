import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian's daemons are not in everyone's PATH. */
const PLACES = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/usr/sbin"];

/** The path of a program of this machine; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return PLACES.map((place) => join(place, name)).find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
