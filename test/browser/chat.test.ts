import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLook } from "./kit/browser.ts";
import {
  MARIA,
  openChat,
  openChats,
  openShop,
  PAVEL,
  type Shop,
  seesOnce,
  until,
  wholeThread,
} from "./kit/chat.ts";
import { png, wav } from "./kit/media.ts";
import { type BrowserStand, startBrowserStand } from "./kit/stand.ts";

let stand: BrowserStand;
let ann: Shop;
beforeAll(async () => {
  stand = await startBrowserStand();
  ann = await openShop(stand, "Ann", 5001);
});
afterAll(() => stand?.close());

test("nobody has written; then a customer does, and an agent answers", async () => {
  const { page } = await openChats(stand, MARIA);
  await page.getByText("Choose a conversation").waitFor();
  const shop = await openShop(stand, "Boris", 5002);
  await shop.write({ text: "Is the blue one in stock?" });
  const row = page.getByRole("navigation").getByRole("button", { name: /Boris/ });
  await row.waitFor();
  await checkLook(page, "chat-list");
  await row.click();
  await seesOnce(page, "Is the blue one in stock?");
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Yes, *three* left.\nWhen do you come?");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("Yes, *three* left.").waitFor();
  const [sent] = await shop.sent("sendMessage", 1);
  expect(sent?.request["text"]).toBe("Yes, *three* left.\nWhen do you come?");
  await page.getByRole("img", { name: "Sent" }).waitFor();
  expect(await field.inputValue()).toBe("");
});

test("every kind of message from the customer", async () => {
  const picture = { base64: png(240, 160).toString("base64"), name: "lamp.png", mime_type: "image/png" };
  const sound = { base64: wav(3).toString("base64"), name: "note.wav", mime_type: "audio/wav" };
  await ann.write({ text: "Hello! See https://lamps.example/blue" });
  const kinds: readonly object[] = [
    { kind: "photo", caption: "This one", file: picture },
    {
      kind: "album",
      items: [1, 2, 3].map(() => ({ kind: "photo", file: picture })),
    },
    { kind: "video" },
    { kind: "audio", file: sound },
    { kind: "document", file: { size: 9000, name: "offer.pdf" } },
    { kind: "sticker", format: "webp" },
    { kind: "contact", phone_number: "79001112233", first_name: "Bob" },
    { kind: "location", latitude: 55.75, longitude: 37.62 },
    { kind: "poll", question: "Lunch?", options: ["Yes", "No"] },
    { text: "That is all" },
  ];
  // One after the other, each once the one before is stored: their order is that of storing.
  for (const kind of kinds) {
    const before = await storedMessages();
    await ann.write(kind);
    await until(async () => (await storedMessages()) > before);
  }
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Ann");
  await seesOnce(page, "That is all");
  await checkLook(page, "chat-kinds");
  const all = await wholeThread(page);
  for (const [what, shown] of Object.entries({
    link: /See https:\/\/lamps.example\/blue/,
    photo: /This one/,
    "what the browser cannot play": /video\.mp4.*Download/,
    audio: /0:031×/,
    document: /offer\.pdf.*9 KB/,
    contact: /Bob\+?7900111/,
    place: /55\.75000, 37\.62000Show on a map/,
    poll: /cannot be shown here \(poll\)/,
  }))
    expect(
      all.some((text) => shown.test(text)),
      `${what} in ${all.join(" | ")}`,
    ).toBe(true);

  const log = page.getByRole("log");
  await page.getByText("lamps.example/blue").scrollIntoViewIfNeeded();
  await log.getByRole("list", { name: "3 photos" }).getByRole("button").first().click();
  const viewer = page.getByRole("dialog", { name: "Photo viewer" });
  await viewer.getByText(/^2 \/ \d$/).waitFor();
  await page.keyboard.press("ArrowLeft");
  await viewer.getByText(/^1 \/ \d · This one$/).waitFor();
  await page.keyboard.press("+");
  await checkLook(page, "chat-viewer");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 800 });
  const play = log.getByRole("button", { name: "Play, 0:03" });
  await play.scrollIntoViewIfNeeded();
  await log.getByRole("button", { name: "Speed 1" }).click();
  await log.getByRole("button", { name: "Speed 1.5" }).click();
  await play.click();
  await log.getByRole("button", { name: "Pause" }).waitFor();
  expect(await page.evaluate("document.querySelector('audio').playbackRate")).toBe(2);
  await log.getByRole("button", { name: "Play, 0:03" }).waitFor();
  await checkLook(page, "chat-sounds");
});

async function storedMessages(): Promise<number> {
  const [row] = await stand.db.query<{ count: string }>("select count(*) from messages");
  return Number(row?.count);
}

test("two agents see what the other writes, and who wrote it", async () => {
  const [maria, pavel] = [await openChats(stand, MARIA), await openChats(stand, PAVEL)];
  for (const { page } of [maria, pavel]) {
    await openChat(page, "Ann");
    await page.getByRole("textbox", { name: "Message" }).waitFor();
  }
  await maria.page.getByRole("textbox", { name: "Message" }).fill("From Maria");
  await maria.page.keyboard.press("Enter");
  await seesOnce(pavel.page, "From Maria");
  await pavel.page.getByRole("log").getByText("Maria", { exact: true }).first().waitFor();
  await ann.write({ text: "Thanks, Maria" });
  for (const { page } of [maria, pavel]) await seesOnce(page, "Thanks, Maria");
});

test("without a connection what is written waits, and nothing is missed or doubled afterwards", async () => {
  const { page, context, problems } = await openChats(stand, MARIA);
  await openChat(page, "Ann");
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await context.setOffline(true);
  for (const text of ["offline 1", "offline 2"]) {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
    await seesOnce(page, text);
  }
  await page.getByText("No connection. Trying again").waitFor();
  for (let index = 1; index <= 60; index++) await ann.write({ text: `meanwhile ${index}` });
  await context.setOffline(false);
  await seesOnce(page, "meanwhile 60");
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  problems.splice(0);
});
