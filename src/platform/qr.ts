import { toDataURL } from "qrcode";

/** A QR code as a PNG in a `data:` URL. */
export function qrPng(text: string): Promise<string> {
  const bytes = [{ data: Buffer.from(text), mode: "byte" as const }];
  return toDataURL(bytes, { errorCorrectionLevel: "L", margin: 4, scale: 6 });
}
