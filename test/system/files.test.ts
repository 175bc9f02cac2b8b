import { request } from "undici";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type S3Server, startS3 } from "../kit/s3.ts";
import { type Channel, type Stand, startStand } from "../kit/stand.ts";

let s3: S3Server;
let stand: Stand;
let channel: Channel;

beforeEach(async () => {
  s3 = await startS3();
  stand = await startStand({
    settings: {
      S3_BUCKET: s3.bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    },
  });
  await stand.start();
  channel = await stand.addChannel(1);
});
afterEach(async () => {
  await stand.stop();
  await s3.stop();
});

interface Received {
  readonly chatId?: string;
  readonly text?: string;
  readonly contentUri?: string;
  readonly contact: { readonly avatarUri?: string };
}

function received(): Received[] {
  return stand.receiver.posts.flatMap(
    ({ body }) => (JSON.parse(body) as { messages?: Received[] }).messages ?? [],
  );
}

async function untilReceived(isWanted: (message: Received) => boolean): Promise<Received> {
  await stand.receiver.until(() => received().some(isWanted));
  return received().find(isWanted) ?? { contact: {} };
}

test("a customer's file is stored in the bucket and served from there, as is the customer's picture", async () => {
  const { telegram } = stand;
  const bytes = Buffer.from("bytes of a file");
  const file = { name: "a.pdf", base64: bytes.toString("base64") };
  const person = "424242";
  // The picture exists before the first message, because that is when it is requested.
  await telegram.admin("POST /users", { id: Number(person), first_name: "Ann" });
  await telegram.admin(`POST /users/${person}/photos`, {});
  await telegram.admin(`POST /bots/${channel.bot.id}/users/${person}/start`);
  await telegram.admin(`POST /bots/${channel.bot.id}/users/${person}/messages`, {
    kind: "document",
    file,
    caption: "look",
  });
  const { contentUri = "" } = await untilReceived(({ text }) => text === "look");
  const answer = await request(contentUri, { headers: { range: "bytes=0-4" } });
  expect([answer.statusCode, await answer.body.text()]).toEqual([206, bytes.subarray(0, 5).toString()]);
  expect([...s3.objects.values()].some((object) => object.equals(bytes))).toBe(true);

  await expect
    .poll(() => stand.db.query("select 1 from chats where avatar_file_id is not null"))
    .toHaveLength(1);
  await channel.bot.write(person, "again");
  const { contact } = await untilReceived(({ text }) => text === "again");
  const picture = await request(contact.avatarUri ?? "");
  expect([picture.statusCode, picture.headers["content-type"]]).toEqual([200, "image/jpeg"]);
  expect((await picture.body.arrayBuffer()).byteLength).toBeGreaterThan(0);
  const fetched = await stand.db.query("select attempts from files where state = 'stored'");
  expect(fetched).toEqual([{ attempts: 1 }, { attempts: 1 }]);
});

test("a customer's first message contains their picture", async () => {
  const { telegram } = stand;
  // A busy machine may take longer than the message waits.
  for (let person = 424_300; person < 424_310; person++) {
    await telegram.admin("POST /users", { id: person, first_name: "Ann" });
    await telegram.admin(`POST /users/${person}/photos`, {});
    await telegram.admin(`POST /bots/${channel.bot.id}/users/${person}/start`);
    const { contact } = await untilReceived(({ chatId }) => chatId === String(person));
    if (contact.avatarUri === undefined) continue;
    const picture = await request(contact.avatarUri);
    expect([picture.statusCode, picture.headers["content-type"]]).toEqual([200, "image/jpeg"]);
    await picture.body.dump();
    return;
  }
  throw new Error("none of ten first messages had a picture");
});

test("a file is downloaded although the messenger was unreachable for an hour", async () => {
  const { telegram, db } = stand;
  const bytes = Buffer.from("bytes of a file");
  const away = () => telegram.admin("POST /faults", { method: "getFile", http_status: 502, times: 10 });
  const untilFailed = (attempts: number) =>
    expect
      .poll(() => db.query("select attempts from files where failure is not null and due > now()"))
      .toEqual([{ attempts }]);
  await away();
  await telegram.admin(`POST /bots/${channel.bot.id}/users/${channel.people[0]}/messages`, {
    kind: "document",
    file: { name: "a.pdf", base64: bytes.toString("base64") },
    caption: "look",
  });
  const { contentUri = "" } = await untilReceived(({ text }) => text === "look");
  await untilFailed(1);
  await away();
  // A file that is being downloaded keeps its last failure: without clearing it, the wait would end too early.
  await db.query("update files set attempts = 9, failure = null, due = now()");
  await untilFailed(10);
  await telegram.admin("DELETE /faults");
  await db.query("update files set due = now()");
  const answer = await request(contentUri);
  expect([answer.statusCode, await answer.body.text()]).toEqual([200, bytes.toString()]);
});
