import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLook } from "./kit/browser.ts";
import {
  act,
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

test("all that an agent can send: files, an answer, a change, buttons, and what fails", async () => {
  const { page } = await openChats(stand, PAVEL);
  await openChat(page, "Ann");
  const log = page.getByRole("log");
  const field = page.getByRole("textbox", { name: "Message" });
  await page.locator('input[type="file"]').setInputFiles([
    { name: "lamp.png", mimeType: "image/png", buffer: png(300, 200) },
    { name: "price.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(2_000_000, 1) },
    { name: "note.wav", mimeType: "audio/wav", buffer: wav(2) },
    { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
  ]);
  await page.getByText("“empty.txt” is empty").waitFor();
  await page.getByRole("list", { name: "Files to send" }).getByText("price.pdf").waitFor();
  await field.fill("All three");
  await checkLook(page, "chat-files");
  await page.setViewportSize({ width: 1280, height: 800 });
  await field.press("Enter");
  for (const method of ["sendPhoto", "sendDocument", "sendMessage"]) await ann.sent(method, 1);
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  await log.getByText("price.pdf").waitFor();

  await ann.write({ text: "Is it dimmable?" });
  await seesOnce(page, "Is it dimmable?");
  await act(page, "Is it dimmable?", "Reply");
  await page.getByText("Answer to").waitFor();
  await field.fill("It is");
  await field.press("Enter");
  await until(async () => (await log.getByRole("button", { name: /Show the quoted message/ }).count()) === 1);
  const answers = await ann.sent("sendMessage", 2);
  expect(JSON.stringify(answers.at(-1)?.request)).toMatch(/reply_(parameters|to_message_id)/);

  await log.getByText("It is", { exact: true }).waitFor();
  await until(async () => (await act(page, "It is")).includes("Edit"));
  await field.focus();
  await page.keyboard.press("ArrowUp");
  await page.getByText("Changing the message").waitFor();
  expect(await field.inputValue()).toBe("It is");
  await field.fill("It is, with any dimmer");
  await field.press("Enter");
  await ann.sent("editMessageText", 1);
  await log.getByText("It is, with any dimmer").waitFor();
  await log.getByText("edited").waitFor();
  await log.getByText("Text before").click();
  await ann.act("blocks");
  await field.fill("Are you there?");
  await field.press("Enter");
  await log.getByText("There is no such account, or it blocked you.").waitFor();
  await checkLook(page, "chat-failed");
  await page.setViewportSize({ width: 1280, height: 800 });
  await ann.act("unblocks");
  await log.getByRole("button", { name: "Send again" }).click();
  await until(async () => (await log.getByText("Are you there?", { exact: true }).count()) === 2);

  await page.getByRole("button", { name: "Buttons under the message" }).click();
  await page.getByLabel("Label of button 1").fill("Blue");
  await page.getByRole("button", { name: "Add a button" }).click();
  await page.getByLabel("Label of button 2").fill("Site");
  await page.getByLabel("Link of button 2").fill("lamps.example");
  await page.getByText("A link begins with https://").waitFor();
  await page.getByLabel("Link of button 2").fill("https://lamps.example");
  await checkLook(page, "chat-buttons");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Done" }).click();
  await field.fill("Which one?");
  await field.press("Enter");
  await log.getByRole("list", { name: "Buttons" }).getByText("Blue").waitFor();
  await until(async () =>
    ann.act("presses", { data: "Blue" }).then(
      () => true,
      () => false,
    ),
  );
  await log.getByRole("list", { name: "Pressed a button" }).getByText("Blue").waitFor();

  await act(page, "It is, with any dimmer", "Delete");
  await page.getByRole("dialog").getByText("crossed out").waitFor();
  await checkLook(page, "chat-delete");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await ann.sent("deleteMessage", 1);
  await log.getByText("deleted").first().waitFor();
  await checkLook(page, "chat-thread");
});

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
