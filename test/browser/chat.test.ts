import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLook, findProblems } from "./kit/browser.ts";
import { bubbles, MARIA, openChats, openShop, PAVEL, type Shop, seesOnce, until } from "./kit/chat.ts";
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
  await ann.write({ text: "Hello! See https://lamps.example/blue" });
  const kinds: readonly object[] = [
    { kind: "photo", caption: "This one" },
    { kind: "album", items: [{ kind: "photo" }, { kind: "photo" }, { kind: "photo" }] },
    { kind: "video" },
    { kind: "voice", duration: 3 },
    { kind: "audio" },
    { kind: "document", file: { size: 9000, name: "offer.pdf" } },
    { kind: "sticker", format: "webp" },
    { kind: "contact", phone_number: "79001112233", first_name: "Bob" },
    { kind: "location", latitude: 55.75, longitude: 37.62 },
    { kind: "poll", question: "Lunch?", options: ["Yes", "No"] },
    { text: "That is all" },
  ];
  for (const kind of kinds) await ann.write(kind);
  const { page } = await openChats(stand, MARIA);
  await page.getByRole("navigation").getByRole("button", { name: /Ann/ }).click();
  await seesOnce(page, "That is all");
  const log = page.getByRole("log");
  const all = new Set<string>();
  for (let step = 0; step < 12; step++) {
    for (const bubble of await bubbles(page)) all.add(bubble);
    await checkStill(page);
    await log.press("PageUp");
  }
  await checkLook(page, "chat-kinds");
  expect(await findProblems(page)).toEqual([]);
});

async function checkStill(page: import("playwright-core").Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

test("two agents see what the other writes, and who wrote it", async () => {
  const [maria, pavel] = [await openChats(stand, MARIA), await openChats(stand, PAVEL)];
  for (const { page } of [maria, pavel]) {
    await page.getByRole("navigation").getByRole("button", { name: /Ann/ }).click();
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
  await page.getByRole("navigation").getByRole("button", { name: /Ann/ }).click();
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
