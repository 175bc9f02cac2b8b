import { createServer, type ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { type Kit, pngFile, withSandbox } from "../../test-kit.ts";

type Page = (response: ServerResponse) => void;

const serve =
  (type: string, body: Uint8Array | string, status = 200): Page =>
  (response) => {
    response.writeHead(status, { "Content-Type": type }).end(body);
  };

/** Runs the test with a URL that serves the page. */
async function withPage(page: Page, run: (kit: Kit, url: string) => Promise<void>): Promise<void> {
  const server = createServer((_request, response) => page(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  try {
    await withSandbox((kit) => run(kit, `http://127.0.0.1:${port}/files/report%20one.pdf`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const failed = "400 Bad Request: failed to get HTTP URL content";
const wrongType = "400 Bad Request: wrong type of the web page content";

const cases: readonly (readonly [what: string, page: Page, method: string, field: string, answer: string])[] =
  [
    ["a missing page", serve("text/plain", "no", 404), "sendDocument", "document", failed],
    ["a page instead of a photo", serve("text/html", "<html>"), "sendPhoto", "photo", wrongType],
    ["a page instead of a document", serve("text/html", "<html>"), "sendDocument", "document", wrongType],
    ["a document instead of a video", serve("application/pdf", "%PDF"), "sendVideo", "video", wrongType],
    [
      "no real picture",
      serve("image/png", "hardly"),
      "sendPhoto",
      "photo",
      "400 Bad Request: IMAGE_PROCESS_FAILED",
    ],
    ["a photo over 5 MB", serve("image/png", Buffer.alloc(5_242_881)), "sendPhoto", "photo", failed],
    [
      "a document over 20 MB",
      serve("application/pdf", Buffer.alloc(20_971_521)),
      "sendDocument",
      "document",
      failed,
    ],
    [
      "a line that breaks",
      (response) => {
        response.writeHead(200, { "Content-Type": "image/png", "Content-Length": 100 }).write("x");
        response.destroy();
      },
      "sendPhoto",
      "photo",
      failed,
    ],
  ];

describe("files by URL", () => {
  test.each(cases)("%s", (_what, page, method, field, answer) =>
    withPage(page, async ({ refused }, url) => {
      expect(await refused(method, { chat_id: 111, [field]: url })).toBe(answer);
    }),
  );

  test("a valid photo and document", async () => {
    const png = new Uint8Array(await pngFile(200, 100).arrayBuffer());
    await withPage(serve("image/png", png), async ({ ok }, url) => {
      expect(await ok("sendPhoto", { chat_id: 111, photo: url })).toMatchObject({
        photo: [{ width: 90 }, { width: 200, height: 100 }],
      });
    });
    await withPage(serve("application/pdf", "%PDF-1.4"), async ({ ok }, url) => {
      expect(await ok("sendDocument", { chat_id: 111, document: url })).toMatchObject({
        document: { file_name: "report one.pdf", mime_type: "application/pdf", file_size: 8 },
      });
    });
  });
});
