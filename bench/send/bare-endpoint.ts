import { createServer } from "node:http";

/** The minimum of a JSON endpoint: read the body, parse it, respond. Nothing is checked or stored. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const chatId = (body as { recipient: { chat_id: string } }).recipient.chat_id;
    const text = JSON.stringify({
      data: { request_id: "0", chat_id: chatId },
      meta: { timestamp: Math.floor(Date.now() / 1000) },
    });
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
    });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`listening on http://127.0.0.1:${address?.port}`);
});
process.once("SIGTERM", () => process.exit(0));
