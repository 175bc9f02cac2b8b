import { readFile } from "node:fs/promises";
import { request } from "undici";

/** The minimum of a sender: posts the lines of a file one by one, without storing, signing or recording anything. */
const [url = "", file = ""] = process.argv.slice(2);
const bodies = (await readFile(file, "utf8")).split("\n");
console.log(`posting to ${url}`);
for (const body of bodies) {
  const answer = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await answer.body.dump();
}
