import { answerJson, type Exchange } from "../http/exchange.ts";
import { AdminError, missing } from "../http/fields.ts";
import { type Admin, text } from "./admin.ts";
import type { FileSource, Phone, Seat } from "./phone.ts";

/** Types that browsers display without executing anything. Others are downloaded. */
const SHOWN = /^(image\/(jpeg|png|gif|webp)|(audio|video)\/[\w.+-]+)$/;

/** Responds with a message's file. */
export async function serveFile(
  exchange: Exchange,
  { phone, admin }: { readonly phone: Phone; readonly admin: Admin },
  place: Seat & { readonly message: string; readonly index: number },
): Promise<void> {
  try {
    const file = await findFile(phone, admin, place);
    const { mime, bytes } = await readFile(admin, file);
    const type = mime.split(";")[0]?.trim() ?? "";
    exchange.response.writeHead(200, {
      "Content-Type": SHOWN.test(type) ? type : "application/octet-stream",
      "Content-Length": bytes.length,
      "Content-Disposition": SHOWN.test(type)
        ? "inline"
        : `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, max-age=3600",
    });
    exchange.response.end(bytes);
  } catch (error) {
    const [status, code] = error instanceof AdminError ? [error.status, error.code] : [502, "unreachable"];
    answerJson(exchange, status, {
      error: code,
      description: error instanceof Error ? error.message : String(error),
    });
  }
}

async function findFile(
  phone: Phone,
  admin: Admin,
  { message, index, ...seat }: Seat & { readonly message: string; readonly index: number },
): Promise<FileSource> {
  const { messages } = await phone.conversation(admin, seat);
  const file = messages.find(({ id }) => id === message)?.files[index];
  if (file === undefined) throw missing(`file ${index} of message`, message);
  return file;
}

async function readFile(
  admin: Admin,
  { source, mime }: FileSource,
): Promise<{ mime: string; bytes: Buffer }> {
  if ("route" in source) {
    const answer = await admin.ask([`GET ${source.route}`]);
    return { mime: text(answer["mime_type"]) || mime, bytes: Buffer.from(text(answer["base64"]), "base64") };
  }
  const answer = await fetch(source.url);
  if (!answer.ok) throw missing("file at", new URL(source.url).host);
  const told = answer.headers.get("content-type")?.split(";")[0] ?? "";
  return {
    mime: told === "" || told === "application/octet-stream" ? mime : told,
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}
