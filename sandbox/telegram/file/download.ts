import { answerJson, type Exchange } from "../../http/exchange.ts";
import type { World } from "../world.ts";
import type { StoredFile } from "./file-registry.ts";

/** `GET /file/bot<token>/<file_path>`: https://core.telegram.org/bots/api#getfile */
export function serveFile(world: World, exchange: Exchange, path: string): void {
  const end = path.indexOf("/", "/file/bot".length);
  const bot = world.botsByToken.get(decodeURIComponent(path.slice("/file/bot".length, end)));
  const file = bot && world.files.byLink(bot.id, decodeURIComponent(path.slice(end + 1)));
  if (file) send(world, exchange, file);
  else refuse(exchange, bot ? 404 : 401, bot ? "Not Found" : "Unauthorized");
}

function send(world: World, exchange: Exchange, file: StoredFile): void {
  exchange.response.writeHead(200, {
    "Content-Type": "application/octet-stream",
    "Content-Length": file.size,
  });
  const stream = world.files.blobs.read(file.blobKey);
  stream.on("error", () => exchange.response.destroy());
  stream.pipe(exchange.response);
}

function refuse(exchange: Exchange, status: number, description: string): void {
  answerJson(exchange, status, { ok: false, error_code: status, description });
}
