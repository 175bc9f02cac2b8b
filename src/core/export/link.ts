import { isSame } from "../../platform/same.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { PublicFile } from "../file/files.ts";

interface LinkedExport {
  readonly id: string;
  readonly startAt: Date;
  readonly endAt: Date;
  readonly expiresAt: Date;
}

/** The link to a finished export: it opens the file without a token until `expiresAt`. */
export function exportUrl(
  { seal, settings }: Pick<Base, "seal" | "settings">,
  { id, startAt, endAt, expiresAt }: LinkedExport,
): string {
  const name = `messages_${dayOf(startAt)}_${dayOf(endAt)}.csv`;
  const expires = String(Math.floor(expiresAt.getTime() / 1000));
  const signature = signatureOf(seal, { id, name, expires }).toString("base64url");
  return `${settings.publicUrl}/files/exports/${id}/${name}?expires=${expires}&signature=${signature}`;
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** The parameters of such a link, not yet verified. */
export interface ExportLink {
  readonly id: string;
  readonly name: string;
  readonly expires: string;
  readonly signature: string;
}

/** Opens the file of a link. Throws NOT_FOUND if the link is forged or expired, or its file was deleted. */
export async function openExportFile(
  { seal, clock, files }: Pick<Base, "seal" | "clock" | "files">,
  link: ExportLink,
): Promise<PublicFile> {
  const missing = new AppError("NOT_FOUND", {
    description: "There is no such file, or its link has expired",
  });
  const given = Buffer.from(link.signature, "base64url");
  if (!isSame(given, signatureOf(seal, link))) throw missing;
  if (Number(link.expires) * 1000 <= clock.now().getTime()) throw missing;
  const size = await files.size(link.id);
  if (size === undefined) throw missing;
  return {
    name: link.name,
    mimeType: "text/csv; charset=utf-8",
    size,
    open: (range) => files.open(link.id, range),
  };
}

function signatureOf(seal: Base["seal"], { id, name, expires }: Omit<ExportLink, "signature">): Buffer {
  return seal.derive("export link", id, name, expires);
}
