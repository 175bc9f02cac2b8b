/** A QR code as a PNG in a `data:` URL. */
export async function qrPng(text: string): Promise<string> {
  const { toDataURL } = await import("qrcode");
  const bytes = [{ data: Buffer.from(text), mode: "byte" as const }];
  return toDataURL(bytes, { errorCorrectionLevel: "L", margin: 4, scale: 6 });
}
