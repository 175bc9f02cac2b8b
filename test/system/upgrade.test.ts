import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { importInstallation } from "../../src/core/transfer/import.ts";
import { openDatabase } from "../../src/database/database.ts";
import { migrate } from "../../src/database/migrate.ts";
import { MIGRATIONS, readMigrations } from "../../src/database/migration-files.ts";
import { createSeal } from "../../src/platform/seal.ts";
import { parseSecretKey } from "../../src/platform/secret-key.ts";
import { quietLog, startTestDatabase } from "../kit/database.ts";
import { installRelease, RELEASES, type Release, readRelease } from "../kit/releases.ts";
import { runCommand } from "../kit/service.ts";
import { type Channel, KEY, must, type Stand, send, startStand } from "../kit/stand.ts";

// An installation that an earlier release has made goes on with this one. RECORD_RELEASE, the package of a release,
// records such an installation (CONTRIBUTING, "Write a migration").

const ARCHIVE = process.env["RECORD_RELEASE"];
const EXPORT = "installation.gz";

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-upgrade-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

test.runIf(ARCHIVE !== undefined)("records the installation of a release", async () => {
  const archive = ARCHIVE ?? "";
  const [, version = ""] = /^trunkline-(.+)\.tgz$/.exec(basename(archive)) ?? [];
  const program = await installRelease(archive, temporary());
  const stand = await startStand({ program });
  onTestFinished(() => stand.stop());
  const service = await stand.start();
  const channel = await stand.addChannel(2);
  await fill(stand, channel);
  const answers = await read(stand, pathsOf(channel));
  expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });

  const directory = join(RELEASES, version);
  mkdirSync(directory, { recursive: true });
  rmSync(join(directory, EXPORT), { force: true });
  await runCommand(stand.environment, ["export", join(directory, EXPORT)], program);
  const migrations = await readMigrations(join(dirname(program), "../database/migrations"));
  const release: Release = {
    migrations: Object.fromEntries(migrations.map(({ name, checksum }) => [name, checksum])),
    account: stand.account,
    channel: { id: channel.id, token: channel.bot.token, people: channel.people },
    answers,
  };
  writeFileSync(join(directory, "release.json"), `${JSON.stringify(release, null, 2)}\n`);
});

/** Something of each kind: people of the CRM, chats in both directions, a change, marks, canned answers. */
async function fill(stand: Stand, channel: Channel): Promise<void> {
  const [ann = "", ben = ""] = channel.people;
  const at = (path: string, body: unknown, method: "POST" | "PATCH" | "PUT" = "POST") =>
    must(stand.call(method, path, body));
  await at("/v3/users", [{ id: "maria", name: "Maria" }]);
  await at("/v3/contacts", [
    {
      id: "c1",
      name: "Ann",
      responsibleUserId: "maria",
      contactData: [{ chatType: "telegram", chatId: ann }],
    },
  ]);
  await at("/v3/pipelines", [{ id: "p1", name: "Sales", stages: [{ id: "s1", name: "New" }] }]);
  await at("/v3/deals", [
    {
      id: "d1",
      name: "Lamps",
      closed: false,
      responsibleUserId: "maria",
      contacts: ["c1"],
      uri: "https://crm.example/d1",
    },
  ]);
  for (const text of ["Hello", "How much is the lamp? \u{1f4a1}"]) await channel.bot.write(ann, text);
  await channel.bot.write(ben, "مرحبا");
  await stand.receiver.until((posts) => itemsOf(posts, "messages") === 3);
  const first = await send(stand, channel, ann, "It costs 10");
  await send(stand, channel, ben, "Good morning");
  await channel.bot.untilSent(2);
  await at(`/v2/messages/${first}`, { text: "It costs 12" }, "PATCH");
  await stand.receiver.until((posts) => posts.flatMap(({ items }) => items).some(isSentStatusOf(first)));
}

const itemsOf = (posts: readonly { items: readonly { kind: string }[] }[], kind: string): number =>
  posts.flatMap(({ items }) => items).filter((item) => item.kind === kind).length;

const isSentStatusOf = (id: string) => (item: { kind: string; messageId: string; status: string }) =>
  item.kind === "statuses" && item.messageId === id && item.status === "sent";

function pathsOf({ id, people }: Channel): string[] {
  return [
    `/v2/channels/${id}`,
    "/v3/users",
    "/v3/contacts/c1",
    "/v3/deals/d1",
    "/v3/pipelines",
    "/v2/chats",
    ...people.map((person) => `/v2/chats/telegram/${person}/messages?channel_id=${id}`),
  ];
}

const NEW_PERSON = "77001";

/** Fields whose values depend on the time of the request. */
const CHANGING = ["unanswered", "timestamp"];

/** The answers, without what changes with time. */
async function read(stand: Stand, paths: readonly string[]): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { json } = await must(stand.call("GET", path));
    answers[path] = JSON.parse(
      JSON.stringify(json, (key, value) => (CHANGING.includes(key) ? undefined : value)),
    );
  }
  return answers;
}

test.each(readdirSync(RELEASES))("an installation of release %s goes on", async (version) => {
  const release = readRelease(version);
  const database = await startTestDatabase({ empty: true });
  const db = openDatabase({
    connection: database.connection,
    max: 2,
    log: quietLog,
    applicationName: "test",
  });
  await migrate(db, { directory: migrationsOf(release) });
  const { fingerprint } = createSeal(parseSecretKey(KEY));
  const path = join(RELEASES, version, EXPORT);
  await importInstallation({ db, path, fingerprint, progress: () => undefined });
  await db.close();

  const { account, channel: known } = release;
  const stand = await startStand({ databaseUrl: database.url, account });
  onTestFinished(async () => {
    await stand.stop();
    await database.stop();
  });
  const bot = await stand.telegram.addBot(known.people, known.token);
  const channel: Channel = { id: known.id, bot, people: known.people };
  await stand.start();
  // Fields may have been added since.
  expect(await read(stand, Object.keys(release.answers))).toMatchObject(release.answers);

  await must(stand.call("PATCH", "/v3/webhooks", { webhooksUri: stand.receiver.url }));
  // The emulator has forgotten the others' chats, and counts the messages there from one again.
  await bot.addPerson(NEW_PERSON);
  await bot.write(NEW_PERSON, "I come late");
  // Also right after the start: what was waiting in the export may have been sent, but not this.
  const id = await send(stand, channel, NEW_PERSON, "Welcome");
  await bot.untilSent(1);
  await stand.receiver.until((posts) => {
    const items = posts.flatMap((post) => post.items);
    return items.some(isSentStatusOf(id)) && items.some(({ text }) => text === "I come late");
  });
});

/** A directory with the migrations that the release has. */
function migrationsOf({ migrations }: Release): string {
  const directory = temporary();
  for (const name of Object.keys(migrations))
    cpSync(join(MIGRATIONS, `${name}.sql`), join(directory, `${name}.sql`));
  return directory;
}
