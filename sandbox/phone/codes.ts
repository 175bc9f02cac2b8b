import { readQr } from "../qr-reader.ts";
import type { WaitingCode } from "./shape.ts";

/** A code on somebody's screen: the picture, or the text where that is known. */
export interface ShownCode extends WaitingCode {
  /** A `data:` address of a PNG, or the text itself. */
  readonly qr: string;
}

/** Where codes that wait to be scanned are to be learnt: from the gateway that started the sandbox. */
export type AskForCodes = () => Promise<readonly ShownCode[]>;

/** What a code says. */
export function textOfCode(qr: string): string {
  return qr.startsWith("data:image/png;base64,") ? readQr(qr) : qr;
}
