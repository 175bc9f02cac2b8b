import { readQr } from "../qr-reader.ts";
import type { WaitingCode } from "./shape.ts";

/** A code on a screen: the picture, or the text if it is known. */
export interface ShownCode extends WaitingCode {
  /** A data URL of a PNG, or the text itself. */
  readonly qr: string;
}

/** Source of the codes that wait for a scan: the gateway that started the sandbox. */
export type AskForCodes = () => Promise<readonly ShownCode[]>;

/** The text of a code. */
export function textOfCode(qr: string): string {
  return qr.startsWith("data:image/png;base64,") ? readQr(qr) : qr;
}
