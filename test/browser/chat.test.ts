import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { checkLook, closeWithTest, findProblems, holdAnswer, openWindow, resize } from "./kit/browser.ts";
import {
  act,
  chatsLink,
  connectByDialog,
  MARIA,
  openChat,
  openChats,
  openShop,
  PAVEL,
  pressAtOnce,
  type Shop,
  seesOnce,
  until,
  wholeThread,
} from "./kit/chat.ts";
import { blockForeignCookies, show, startEmbedder, toldBy } from "./kit/embedder.ts";
import { png, wav } from "./kit/media.ts";
import { type BrowserStand, runCli, startBrowserStand } from "./kit/stand.ts";

let stand: BrowserStand;
let ann: Shop;
beforeAll(async () => {
  stand = await startBrowserStand();
  ann = await openShop(stand, "Ann", 5001);
});
afterAll(() => stand?.close());

test("an empty list of chats; then a customer writes and an employee replies", async () => {
  const { page } = await openChats(stand, MARIA);
  await page.getByText("Choose a conversation").waitFor();
  const shop = await openShop(stand, "Boris", 5002);
  await shop.write({ text: "Is the blue one in stock?" });
  const row = page.getByRole("navigation").getByRole("button", { name: /Boris/ });
  await row.waitFor();
  await checkLook(page, "chat-list");
  await row.click();
  await seesOnce(page, "Is the blue one in stock?");
  // Named for screen readers, though the name is not drawn above each message.
  await page
    .getByRole("article", { name: /^Boris, / })
    .last()
    .waitFor();
  const field = page.getByRole("textbox", { name: "Message" });
  const showsMarks = page.getByLabel("Let customers see that I read and type");
  const setMarks = async (shows: boolean) => {
    await page.getByRole("button", { name: "Keyboard" }).click();
    await showsMarks.setChecked(shows);
    await page.getByRole("button", { name: "Close" }).click();
  };
  await setMarks(false);
  await field.fill("One moment");
  await page.keyboard.press("Enter");
  await shop.sent("sendMessage", 1);
  expect(await shop.sent("sendChatAction", 0)).toEqual([]);
  await setMarks(true);
  await field.fill("Yes, *three* left.\nWhen do you come?");
  const [action] = await shop.sent("sendChatAction", 1);
  expect(action?.request).toMatchObject({ action: "typing" });
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("Yes, *three* left.").waitFor();
  const sent = (await shop.sent("sendMessage", 2)).at(-1);
  expect(sent?.request["text"]).toBe("Yes, *three* left.\nWhen do you come?");
  await page.getByRole("img", { name: "Sent" }).last().waitFor();
  expect(await field.inputValue()).toBe("");
  // The file is downloaded after the message is shown.
  await shop.write({
    kind: "photo",
    caption: "This one",
    file: { base64: png(240, 160).toString("base64") },
  });
  await page.getByRole("log").getByRole("button", { name: "Open photo" }).waitFor();
});

test("shows every kind of message from the customer", async () => {
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
    { kind: "dice", emoji: "🎲", value: 5 },
    { text: "That is all" },
  ];
  // Sent one by one, each after the previous one is stored, so that their order is defined.
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
    poll: /PollLunch\?Yes ?No/,
    dice: /Dice🎲 5/,
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
  await until(async () => viewer.getByRole("button", { name: "Zoom out" }).isEnabled());
  await checkLook(page, "chat-viewer");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 800 });
  const play = log.getByRole("button", { name: "Play, 0:03" });
  await play.scrollIntoViewIfNeeded();
  await log.getByRole("button", { name: "Speed 1" }).click();
  await log.getByRole("button", { name: "Speed 1.5" }).click();
  // The recording plays for a second and a half only.
  await page.evaluate(`{
    const audio = document.querySelector("audio");
    window.playing = new Promise((resolve) => {
      audio.addEventListener("playing", () => {
        const isPause = () => audio.closest("[role=log]").querySelector('button[aria-label="Pause"]') !== null;
        const observer = new MutationObserver(() => isPause() && resolve(audio.playbackRate));
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        if (isPause()) resolve(audio.playbackRate);
      });
    });
    // The value of the script is awaited.
    null;
  }`);
  await play.click();
  expect(await page.evaluate("window.playing")).toBe(2);
  await log.getByRole("button", { name: "Play, 0:03" }).waitFor();
  await checkLook(page, "chat-sounds");
});

async function storedMessages(): Promise<number> {
  const [row] = await stand.db.query<{ count: string }>("select count(*) from messages");
  return Number(row?.count);
}

test("an employee sends files, a reply, an edit and buttons, and sees what failed", async () => {
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
  await page.getByText("The text goes with the last file.").waitFor();
  await checkLook(page, "chat-files");
  await page.setViewportSize({ width: 1280, height: 800 });
  await field.press("Enter");
  for (const method of ["sendPhoto", "sendDocument"]) await ann.sent(method, 1);
  expect((await ann.sent("sendVoice", 1))[0]?.request).toMatchObject({ caption: "All three" });
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  await log.getByText("price.pdf").waitFor();

  await ann.write({ text: "Is it dimmable?" });
  await seesOnce(page, "Is it dimmable?");
  await act(page, "Is it dimmable?", "Reply");
  await page.getByText("Answer to").waitFor();
  await field.fill("It is");
  await field.press("Enter");
  await until(async () => (await log.getByRole("button", { name: /Show the quoted message/ }).count()) === 1);
  const answers = await ann.sent("sendMessage", 1);
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
  await log.getByText("Before the edit").click();
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

test("files can be pasted or dropped, and an upload cancelled; a message that is being edited takes no files", async () => {
  const { page, problems } = await openChats(stand, PAVEL);
  await openChat(page, "Ann");
  const [log, field] = [page.getByRole("log"), page.getByRole("textbox", { name: "Message" })];
  const tray = page.getByRole("list", { name: "Files to send" });
  const picture = png(40, 30).toString("base64");
  /**
   * Dispatches an event with a picture to the element of `selector`, as the browser does. Returns whether the page
   * handled it.
   */
  const bring = (selector: string, type: "paste" | "dragover" | "dragleave" | "drop", name = "") =>
    page.evaluate(`(() => {
      const files = new DataTransfer();
      const bytes = Uint8Array.from(atob("${picture}"), (letter) => letter.charCodeAt(0));
      files.items.add(new File([bytes], "${name}", { type: "image/png" }));
      const init = { bubbles: true, cancelable: true };
      const event = ${type === "paste" ? "new ClipboardEvent('paste', { ...init, clipboardData: files })" : `new DragEvent("${type}", { ...init, dataTransfer: files })`};
      document.querySelector("${selector}").dispatchEvent(event);
      return event.defaultPrevented;
    })()`);
  await log.waitFor();
  expect(await bring("textarea", "paste", "pasted.png")).toBe(true);
  await tray.getByText("pasted.png").waitFor();
  expect(await bring("[role=log]", "dragover")).toBe(true);
  await page.getByText("Drop the files to send them").waitFor();
  await bring("[role=log]", "dragleave");
  await page.getByText("Drop the files to send them").waitFor({ state: "hidden" });
  expect(await bring("[role=log]", "drop", "dropped.png")).toBe(true);
  await tray.getByText("dropped.png").waitFor();
  await tray.getByRole("button", { name: "Remove pasted.png" }).click();
  await tray.getByText("pasted.png").waitFor({ state: "hidden" });

  // The upload of the dropped file is held, and its caption with it. Cancelled, the caption is in the field again,
  // before what was typed meanwhile, and so is the quote.
  const uploads: string[] = [];
  await page.route("**/app/api/files?*", (route) => {
    uploads.push(route.request().url());
  });
  await ann.write({ text: "Do you have a picture?" });
  await act(page, "Do you have a picture?", "Reply");
  await field.fill("After the file");
  await field.press("Enter");
  await log.getByRole("progressbar").waitFor();
  await until(async () => uploads.length === 1);
  await field.fill("Typed meanwhile");
  const taken = page.waitForEvent("requestfailed", (request) => request.url() === uploads[0]);
  await log
    .getByRole("article")
    .filter({ has: page.getByRole("progressbar") })
    .getByText("Cancel")
    .click();
  await taken;
  await log.getByRole("progressbar").waitFor({ state: "hidden" });
  await log.getByText("After the file").waitFor({ state: "hidden" });
  await until(async () => (await field.inputValue()) === "After the file\nTyped meanwhile");
  await page.getByText("Answer to").waitFor();
  expect(await stand.db.query("select 1 from files where name = 'dropped.png'")).toEqual([]);
  await page.unroute("**/app/api/files?*");
  await field.fill("After the file");
  await field.press("Enter");
  await seesOnce(page, "After the file");
  const sent = log.getByRole("article").filter({ hasText: "After the file" });
  await sent.getByRole("button", { name: /Show the quoted message/ }).waitFor();
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);

  await until(async () => (await act(page, "After the file")).includes("Edit"));
  await act(page, "After the file", "Edit");
  await page.getByText("Changing the message").waitFor();
  // Not accepted, but still handled: otherwise the browser would open the file instead of the page.
  expect(await bring("[role=log]", "drop", "stray.png")).toBe(true);
  expect(await bring("textarea", "paste", "stray.png")).toBe(false);
  await page.keyboard.press("Escape");
  expect(await tray.count()).toBe(0);
  expect(problems.splice(0).filter((problem) => !/net::ERR_(ABORTED|FAILED)/.test(problem))).toEqual([]);
});

test("an unsaved edit is kept until it is saved or discarded", async () => {
  const { page, problems } = await openChats(stand, PAVEL);
  await openChat(page, "Ann");
  const [log, field] = [page.getByRole("log"), page.getByRole("textbox", { name: "Message" })];
  for (const text of ["It costs 40", "It is blue"]) {
    await field.fill(text);
    await field.press("Enter");
    await until(async () => (await act(page, text)).includes("Edit"));
  }
  const refused = Promise.withResolvers<void>();
  await page.route(
    "**/app/api/messages/*",
    async (route) => {
      await refused.promise;
      await route.fulfill({ status: 502, json: { error: "MESSENGER_UNAVAILABLE", description: "" } });
    },
    { times: 1 },
  );
  await act(page, "It costs 40", "Edit");
  await field.fill("It costs 45");
  await field.press("Enter");
  // Before the response arrives, a reply to another message is started.
  await act(page, "It is blue", "Reply");
  await field.fill("Or green");
  refused.resolve();
  const notice = page.getByRole("alert").filter({ hasText: "It costs 45" });
  await notice.getByText("The messenger does not respond. Try again in a minute.").waitFor();
  expect(await field.inputValue()).toBe("Or green");
  await checkLook(page, "chat-change-not-saved");
  await page.setViewportSize({ width: 1280, height: 800 });
  await field.press("Enter");
  await seesOnce(page, "Or green");
  await notice.getByRole("button", { name: "Edit" }).click();
  expect(await field.inputValue()).toBe("It costs 45");

  // Starting a reply, opening another chat and reloading leave it unchanged.
  await field.fill("It costs 46");
  await act(page, "It is blue", "Reply");
  expect(await field.inputValue()).toBe("");
  await openChat(page, "Boris");
  await openChat(page, "Ann");
  await act(page, "It costs 40", "Edit");
  expect(await field.inputValue()).toBe("It costs 46");
  await field.press("Escape");
  await act(page, "It costs 40", "Edit");
  expect(await field.inputValue()).toBe("It costs 40");
  await field.fill("It costs 47");
  await openChat(page, "Boris");
  await openChat(page, "Ann");
  expect(await field.inputValue()).toBe("It costs 47");
  await field.press("Enter");
  await log.getByText("It costs 47", { exact: true }).waitFor();
  await until(async () => (await act(page, "It costs 47")).includes("Edit"));
  await act(page, "It costs 47", "Edit");
  expect(await field.inputValue()).toBe("It costs 47");
  expect(await page.getByRole("alert").filter({ hasText: "It costs" }).count()).toBe(0);

  // Nothing else was started: the edit is in the field again, with the reason.
  await page.route("**/app/api/messages/*", (route) => route.abort(), { times: 1 });
  await field.fill("It costs 48");
  await field.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(await field.inputValue()).toBe("It costs 48");
  await field.press("Enter");
  await log.getByText("It costs 48", { exact: true }).waitFor();
  await until(async () => (await page.getByRole("alert").count()) === 0);
  expect(problems.splice(0).filter((problem) => !/502|net::ERR_FAILED/.test(problem))).toEqual([]);
});

test("the open chat shows the CRM's changes to the contact, and what employees note on the person", async () => {
  const { page } = await openChats(stand, MARIA);
  const { page: other } = await openChats(stand, PAVEL);
  await openChat(page, "Ann");
  await openChat(other, "Ann");
  const details = page.getByRole("region", { name: "Details" });
  const fill = details.getByRole("button", { name: "Fill in the card" });
  const focusedName = details.getByRole("textbox", { name: "Name" }).and(page.locator(":focus"));
  await fill.press("Enter");
  await focusedName.waitFor();
  await page.keyboard.type("Ann K.");
  const phone = details.getByRole("textbox", { name: "Phone" });
  await phone.fill("7 900");
  await details.getByRole("textbox", { name: "E-mail" }).fill("ann");
  await details.getByRole("textbox", { name: "Comment" }).fill("Likes blue\nlamps");
  await details.getByRole("button", { name: "Save" }).click();
  await details.getByText("An e-mail address has an @").waitFor();
  await details.getByText("A number has 5 to 15 digits").waitFor();
  await checkLook(page, "chat-card");
  await page.setViewportSize({ width: 1280, height: 800 });
  await phone.fill("+7 (900) 123-45-67");
  await details.getByRole("textbox", { name: "E-mail" }).fill("ann@shop.example");
  await page.keyboard.press("Enter");
  for (const each of [page, other]) {
    await each.getByRole("heading", { name: "Ann K.", level: 2 }).waitFor();
    const shown = each.getByRole("region", { name: "Details" });
    await shown.getByText("+79001234567").waitFor();
    await shown.getByText("Changed by Maria, ").waitFor();
  }
  await details.getByRole("button", { name: "Change the card" }).press("Enter");
  await focusedName.waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Ann");
  await page.keyboard.press("Enter");
  await other.getByRole("heading", { name: "Ann", level: 2, exact: true }).waitFor();
  await until(() =>
    page.evaluate<boolean>("document.activeElement.textContent.trim() === 'Change the card'"),
  );

  await details.getByText("Not in the CRM yet").waitFor();
  const contact = { id: "ann", responsibleUserId: "maria", name: "Ann of the CRM" };
  await stand.api("POST", "/v3/contacts", [
    { ...contact, contactData: [{ chatType: "telegram", chatId: "5001" }] },
  ]);
  await details.getByText("Ann of the CRM").waitFor();
  const deal = { id: "lamps", responsibleUserId: "maria", name: "Twelve lamps", contacts: ["ann"] };
  await stand.api("POST", "/v3/deals", [deal]);
  await details.getByText("Twelve lamps").waitFor();
  await stand.api("POST", "/v3/deals", [{ ...deal, closed: true }]);
  await details.getByText("closed").waitFor();
  await stand.api("DELETE", "/v3/deals/lamps");
  await details.getByText("No deals").waitFor();
  await stand.api("DELETE", "/v3/contacts/ann");
  await details.getByText("Not in the CRM yet").waitFor();
});

test("canned answers: inserted with a slash and the keyboard, added, changed while a colleague changes them, and deleted", async () => {
  await ann.write({ text: "Do you deliver?" });
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Ann");
  const field = page.getByRole("textbox", { name: "Message" });
  const list = page.getByRole("listbox", { name: "Canned answers" });
  const option = (name: string | RegExp) => list.getByRole("option", { name });
  const lastSent = async (text: string) => {
    await seesOnce(page, text);
    await until(async () => (await ann.sent("sendMessage", 1)).at(-1)?.request["text"] === text);
  };

  // None yet: the list explains what it is for, and offers to add the first one.
  await field.press("/");
  await page.getByText("Texts that you send often appear here").waitFor();
  await checkLook(page, "chat-canned-empty");
  await page.setViewportSize({ width: 1280, height: 800 });
  await field.press("Enter");
  const adding = page.getByRole("dialog", { name: "Add an answer" });
  await adding.getByLabel("Short name").fill("two words");
  await adding.getByRole("button", { name: "Save" }).click();
  await adding.getByText("One word, without spaces").waitFor();
  await adding.getByText("The text is missing").waitFor();
  await adding.getByLabel("Short name").fill("/hello");
  await adding.getByLabel("Text").fill("Hello, !");
  for (let step = 0; step < 1; step++) await adding.getByLabel("Text").press("ArrowLeft");
  await adding.getByRole("button", { name: "Customer’s name" }).click();
  await adding.getByLabel("Text").press("End");
  await page.keyboard.type(" This is ");
  await adding.getByRole("button", { name: "Your name" }).click();
  expect(await adding.getByLabel("Text").inputValue()).toBe("Hello, {{contact}}! This is {{employee}}");
  await adding.getByRole("button", { name: "Save" }).click();
  await adding.waitFor({ state: "hidden" });

  // The field has the focus again, and the slash in it opens the list with the new answer.
  await option(/^\/hello Hello, Ann! This is Maria$/).waitFor();
  expect(await field.inputValue()).toBe("/");
  const active = await field.getAttribute("aria-activedescendant");
  expect(await option(/^\/hello/).getAttribute("id")).toBe(active);
  expect(await option(/^\/hello/).getAttribute("aria-selected")).toBe("true");
  await field.press("ArrowUp");
  expect(await option("Manage answers").getAttribute("aria-selected")).toBe("true");
  await field.press("ArrowDown");
  await field.press("Tab");
  expect(await field.inputValue()).toBe("Hello, Ann! This is Maria");
  await list.waitFor({ state: "hidden" });
  expect(await field.getAttribute("aria-controls")).toBeNull();
  await page.keyboard.press("Control+Z");
  expect(await field.inputValue()).toBe("/");
  await field.fill("");

  // As fast as possible: the answer is inserted, and only the next Enter sends it.
  const typed = await pressAtOnce(page, [..."/HEL", "Enter"]);
  expect(typed.value).toBe("Hello, Ann! This is Maria");
  await field.press("Enter");
  await lastSent("Hello, Ann! This is Maria");

  // Text that matches no answer is sent unchanged; Escape keeps the typed text.
  await page.keyboard.type("/begin");
  await page.getByText("No answer is called “begin”").waitFor();
  await field.press("Enter");
  await lastSent("/begin");
  await page.keyboard.type("Yes, /he");
  await option(/^\/hello/).waitFor();
  await field.press("Escape");
  await list.waitFor({ state: "hidden" });
  expect(await field.inputValue()).toBe("Yes, /he");
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Message");
  await field.fill("");

  const more = { delivery: "We deliver on Mondays and Thursdays, from 9 to 18.", price: "It costs 40." };
  for (const [name, text] of Object.entries(more))
    await stand.db.query(
      "insert into canned_answers (account_id, id, name, name_key, text) values ($1, gen_random_uuid(), $2, $2, $3)",
      [stand.account.accountId, name, text],
    );
  await field.press("/");
  await option(/^\/price/).waitFor();
  await checkLook(page, "chat-canned-list");
  await page.setViewportSize({ width: 1280, height: 800 });
  await option("Manage answers").click();
  const all = page.getByRole("dialog", { name: "Canned answers" });
  await all.getByRole("button", { name: /^\/price/ }).waitFor();
  await checkLook(page, "chat-canned-manage");
  await page.setViewportSize({ width: 1280, height: 800 });
  await all.getByLabel("Find an answer").fill("thursday");
  expect(await all.getByRole("list").getByRole("button").count()).toBe(1);
  await all.getByLabel("Find an answer").fill("pri");
  await all.getByRole("button", { name: /^\/price/ }).click();

  // Meanwhile a colleague changes the same answer: the page shows the colleague's text before replacing it.
  const changing = page.getByRole("dialog", { name: "Change “/price”" });
  // The typed text is still there after the dialog is reopened.
  await changing.getByLabel("Text").fill("It costs 50.");
  await page.keyboard.press("Escape");
  await option("Manage answers").click();
  await all.getByRole("button", { name: /^\/price/ }).click();
  expect(await changing.getByLabel("Text").inputValue()).toBe("It costs 50.");
  await stand.db.query(
    "update canned_answers set text = 'It costs 45.', version = version + 1 where name = 'price'",
  );
  await changing.getByRole("button", { name: "Save" }).click();
  await changing.getByText("A colleague has changed this answer").waitFor();
  await changing.getByText("It costs 45.").waitFor();
  await checkLook(page, "chat-canned-changed");
  await page.setViewportSize({ width: 1280, height: 800 });
  await changing.getByRole("button", { name: "Save" }).click();
  await all.getByText("It costs 50.").waitFor();
  await all.getByRole("button", { name: /^\/price/ }).click();
  await stand.db.query("delete from canned_answers where name = 'price'");
  await changing.getByLabel("Text").fill("It costs 55.");
  await changing.getByRole("button", { name: "Save" }).click();
  await changing.getByText("A colleague has deleted this answer").waitFor();
  await changing.getByRole("button", { name: "Save" }).click();
  await all.getByText("It costs 55.").waitFor();
  await all.getByRole("button", { name: /^\/price/ }).click();
  await changing.getByRole("button", { name: "Delete" }).click();
  await changing.getByText("It is deleted for your colleagues too").waitFor();
  await changing.getByRole("button", { name: "Delete" }).click();
  await all.getByRole("button", { name: /^\/delivery/ }).waitFor();
  expect(await all.getByRole("button", { name: /^\/price/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await all.waitFor({ state: "hidden" });
  await field.fill("");

  // A sent message is saved as an answer.
  await act(page, "Hello, Ann! This is Maria", "Save as a canned answer");
  await adding.getByLabel("Short name").fill("HELLO");
  await adding.getByRole("button", { name: "Save" }).click();
  await adding.getByText("Another answer has this name").waitFor();
  await adding.getByLabel("Short name").fill("intro");
  await adding.getByRole("button", { name: "Save" }).click();
  await adding.waitFor({ state: "hidden" });

  // A colleague has the same answers, filled with another name.
  const pavel = (await openChats(stand, PAVEL, { locale: "ru-RU", width: 320 })).page;
  await pavel.getByRole("navigation").getByRole("button", { name: /^Ann/ }).click();
  const his = pavel.getByRole("textbox", { name: "Сообщение" });
  // While the answers are loading, Enter does not send a partial name to the customer.
  const loading = await holdAnswer(pavel, "GET", "**/app/api/canned-answers");
  await his.pressSequentially("/hello");
  await pavel.getByText("Ответы загружаются").waitFor();
  await his.press("Enter");
  expect(await his.inputValue()).toBe("/hello");
  await loading.release();
  await his.fill("/");
  const shared = pavel.getByRole("listbox", { name: "Быстрые ответы" }).getByRole("option");
  await shared.filter({ hasText: "Hello, Ann! This is Pavel" }).waitFor();
  expect(await shared.allTextContents()).toEqual([
    expect.stringMatching("^/delivery"),
    expect.stringMatching("^/hello"),
    expect.stringMatching("^/intro"),
    "Управление ответами",
  ]);
  expect(await findProblems(pavel, [320])).toEqual([]);
});

test("a customer who is typing is shown in the list and in the conversation, until the message", async () => {
  const { id } = await stand.admin<{ id: number }>("vk", "POST /communities", {
    owner_id: 100,
    name: "Lamps",
  });
  const { token } = await stand.admin<{ token: string }>("vk", "POST /tokens", { group_id: id });
  const connecting = await openWindow(stand.browser);
  await connecting.page.goto(await stand.channelsLink({ transport: "vk" }));
  await connecting.page.getByText("Or connect with keys of your own").click();
  await connecting.page.getByLabel("Community key", { exact: true }).fill(token);
  await connecting.page.getByRole("button", { name: "Connect", exact: true }).click();
  await until(async () => {
    const { data } = await stand.api<{ data: Record<string, string>[] }>("GET", "/v2/channels");
    return data.some((each) => each["transport"] === "vk" && each["status"] === "active");
  });
  await connecting.context.close();
  await stand.admin("vk", "POST /users", { id: 5601, first_name: "Vera", last_name: "Typist" });
  const act = (action: string, body: object) =>
    stand.admin("vk", `POST /communities/${id}/users/5601/${action}`, body);
  await act("messages", { text: "Hello" });
  const { page } = await openChats(stand, MARIA);
  await openChat(page, "Vera Typist");
  const [row, head] = [page.getByRole("navigation"), page.locator("header")].map((place) =>
    place.getByText("typing…"),
  );
  // The messenger tells of it once; the page shows it for a few seconds.
  await until(async () => {
    await act("typing", {});
    const shown = [row, head].map((place) => place?.waitFor({ timeout: 5_000 }));
    return Promise.all(shown).then(
      () => true,
      () => false,
    );
  });
  await act("messages", { text: "One more thing" });
  await seesOnce(page, "One more thing");
  expect([await row?.count(), await head?.count()]).toEqual([0, 0]);
});

test("two employees see each other's messages, with the author", async () => {
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

test("offline messages wait, and after reconnecting nothing is missing or duplicated", async () => {
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
  await checkLook(page, "chat-offline");
  for (let index = 1; index <= 60; index++) await ann.write({ text: `meanwhile ${index}` });
  await context.setOffline(false);
  await seesOnce(page, "meanwhile 60");
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  problems.splice(0);
});

test("waiting messages are sent once after a reload; a lost file is reported by name", async () => {
  const { page, problems } = await openChats(stand, MARIA);
  await openChat(page, "Ann");
  const field = page.getByRole("textbox", { name: "Message" });
  const log = page.getByRole("log");
  const accepting = "**/app/api/messages";
  let isAccepted = false;
  // The service accepts the first text, and the page is closed before it gets the response.
  await page.route(accepting, async (route) => {
    if (!isAccepted) await route.fetch();
    isAccepted = true;
    await route.abort();
  });
  for (const text of ["before the reload", "behind it"]) {
    await field.fill(text);
    await field.press("Enter");
  }
  const file = { name: "price.txt", mimeType: "text/plain", buffer: Buffer.from("lamps") };
  await page.locator('input[type="file"]').setInputFiles([file]);
  await page.getByRole("button", { name: "Send" }).click();
  await until(async () => isAccepted);
  await field.fill("taken back");
  await field.press("Enter");
  await log.locator("li, article, div").filter({ hasText: "taken back" }).last().waitFor();
  await log.getByRole("button", { name: "Cancel" }).last().click();
  await until(async () => (await field.inputValue()) === "taken back");

  await page.goto(await chatsLink(stand, MARIA));
  await openChat(page, "Ann");
  // Not before: the page that was left would repeat its requests.
  await page.unroute(accepting);
  await log.getByText("before price.txt was sent").waitFor();
  for (const text of ["before the reload", "behind it"]) await seesOnce(page, text);
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  const sent = await ann.sent("sendMessage", 1);
  const texts = sent.map(({ request }) => String((request as { text?: string }).text));
  for (const text of ["before the reload", "behind it"])
    expect(texts.filter((each) => each === text)).toHaveLength(1);
  await log.getByRole("button", { name: "Cancel" }).click();
  await until(async () => (await log.getByText("before price.txt was sent").count()) === 0);
  expect(await field.inputValue()).toBe("taken back");
  problems.splice(0);
});

test("a new chat without a channel says why, and goes on with the first channel that is loaded", async () => {
  /** A page for a person without a chat, whose requests for channels get these answers. */
  const open = async (...answers: [object, ...object[]]) => {
    const window = await openWindow(stand.browser, { width: 1280 });
    closeWithTest(window, { faultless: true });
    const { page } = window;
    let loads = 0;
    await page.route("**/app/api/chat-channels", (route) => {
      loads++;
      return route.fulfill(answers[0]);
    });
    const person = { chat_type: "telegram", username: "nobody_yet" };
    await page.goto(await chatsLink(stand, MARIA, { active_chat: person }));
    await until(async () => loads === 1);
    const dialog = page.getByRole("dialog", { name: "New chat" });
    return { page, dialog, next: () => answers.shift() };
  };
  const none = await open({ json: [] });
  await none.dialog.getByText("No channel can start a chat now.").waitFor();
  expect(await findProblems(none.page)).toEqual([]);

  const channel = {
    channel_id: "00000000-0000-4000-8000-000000000001",
    transport: "telegram",
    name: "Shop",
    phone: "",
    username: "shop",
    status: "active",
    reason: null,
    can_send: true,
    new_chat: { chat_type: "telegram", address_by: ["username"] },
  };
  const { dialog, next } = await open({ status: 503, json: { error: "UNAVAILABLE" } }, { json: [channel] });
  await dialog.getByText("The service is busy.").waitFor();
  next();
  await dialog.getByRole("button", { name: "Try again" }).click();
  const username = dialog.getByLabel("Username");
  await username.waitFor();
  expect(await username.inputValue()).toBe("nobody_yet");
  await username.fill("two words");
  await dialog.getByRole("button", { name: "Write" }).click();
  await dialog.getByText("A username is one word").waitFor();
});

test("WhatsApp Business Platform: a new chat by phone, a template outside the window, and the inbound reply", async () => {
  await connectByDialog(stand, "wapi", "Continue with Meta", "Continue");
  await stand.admin("wapi", "POST /users", { id: "16505550042", phone: "16505550042", name: "Olga" });
  const olga = (body: object) => stand.admin("wapi", "POST /messages", { user_id: "16505550042", ...body });
  const { page } = await openChats(stand, MARIA);
  await page.getByRole("button", { name: "New chat" }).click();
  const dialog = page.getByRole("dialog", { name: "New chat" });
  await dialog.getByLabel("Phone number").fill("12");
  await dialog.getByRole("button", { name: "Write" }).click();
  await dialog.getByText("A number has 5 to 15 digits").waitFor();
  await checkLook(page, "chat-new");
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByLabel("Phone number").fill("+1 650 555-00-42");
  await dialog.getByLabel("Name").fill("Olga");
  await dialog.getByRole("button", { name: "Write" }).click();
  await page.getByText("No messages yet").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("Your order is ready");
  await page.keyboard.press("Enter");
  await page.getByText("only a template can be sent").first().waitFor();
  await page.getByRole("button", { name: "Choose a template" }).click();
  const picker = page.getByRole("dialog", { name: "Choose a template" });
  await picker.getByRole("button", { name: /order_confirmation/ }).click();
  await picker.getByLabel("Value 1").fill("Olga");
  await picker.getByLabel("Value 2").fill("42");
  await picker.getByRole("region", { name: "Preview" }).getByText("Thank you, Olga! Your order 42").waitFor();
  await checkLook(page, "chat-template");
  await page.setViewportSize({ width: 1280, height: 800 });
  await picker.getByRole("button", { name: "Send the template" }).click();
  const log = page.getByRole("log");
  await log.getByText("Thank you, Olga! Your order 42 is on its way.").waitFor();
  await log.getByText("Lucky Shrub").waitFor();
  await log.getByRole("list", { name: "Buttons" }).getByText("Stop updates").waitFor();
  const read = page.waitForResponse(
    (response) =>
      response.url().endsWith("/mark") && response.request().postData() === JSON.stringify({ mark: "read" }),
  );
  // The customer's message opens the window: any kind can be sent again.
  for (const body of [
    { text: "Thanks! I live here" },
    { kind: "location", latitude: 59.93, longitude: 30.31, name: "Home" },
    { kind: "contacts" },
    { kind: "voice" },
    { kind: "sticker" },
    { kind: "unsupported" },
  ])
    await olga(body);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  for (const shown of [
    "Thanks! I live here",
    "Home",
    "59.93000, 30.31000",
    "Message of a kind that cannot be shown",
  ])
    await log.getByText(shown).waitFor();
  await log.getByRole("button", { name: /^Play/ }).waitFor();
  expect(await (await read).json()).toEqual({ shown: true });
  await page.getByRole("textbox", { name: "Message" }).fill("*See* you");
  await page.keyboard.press("Enter");
  await log.locator("strong").getByText("See").waitFor();
  await page.getByRole("navigation").getByText("Maria: See you", { exact: true }).waitFor();
  await checkLook(page, "chat-business");
});

test("Instagram: a comment with its post, public and private replies, and a reply to a story", async () => {
  await connectByDialog(stand, "instagram", "Continue with Instagram", "Allow");
  await stand.admin("instagram", "POST /users", { id: "222", username: "carla", name: "Carla" });
  const below = "/accounts/17841400000000001";
  const carla = (what: string, body: object) =>
    stand.admin("instagram", `POST ${below}/users/222/${what}`, body);
  const sent = async () => JSON.stringify(await stand.admin("instagram", `GET ${below}/sent`));
  await carla("comments", { text: "How much is it?" });
  const { page } = await openChats(stand, PAVEL);
  await openChat(page, "Carla|^carla");
  const log = page.getByRole("log");
  await log.getByText("Comment on a post").waitFor();
  await log.getByText("New in the shop").waitFor();
  await act(page, "How much is it?", "Reply");
  const field = page.getByRole("textbox", { name: "Message" });
  await page.getByText("Public answer to the comment").waitFor();
  await field.fill("From 90, in public");
  await field.press("Enter");
  await until(async () => (await sent()).includes("From 90, in public"));
  await field.fill("For you 80, in private");
  await field.press("Enter");
  await until(
    async () => /comment_id/.test(await sent()) && (await sent()).includes("For you 80, in private"),
  );
  const answer = (text: string) => log.getByRole("article").filter({ hasText: text });
  await answer("From 90, in public").getByText("Public reply").waitFor();
  await answer("For you 80, in private").getByText("Private reply").waitFor();
  await carla("messages", { kind: "story_reply", text: "Love it" });
  await seesOnce(page, "Love it");
  const story = log.getByRole("link", { name: /^Story/ });
  expect(await story.getAttribute("href")).toMatch(/^https?:/);
  expect(await story.getAttribute("rel")).toBe("noopener noreferrer");
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  await checkLook(page, "chat-instagram");
});

test("a whole conversation with the keyboard only", async () => {
  const { page } = await openChats(stand, MARIA);
  await page.getByRole("navigation").getByRole("button").first().waitFor();
  const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
  const tabTo = async (name: string, key = "Tab") => {
    for (let presses = 0; (await focused()) !== name; presses++) {
      if (presses > 60) throw new Error(`no way to ${name}; the focus is on ${await focused()}`);
      await page.keyboard.press(key);
    }
  };
  await page.keyboard.press("Control+K");
  await page.keyboard.type("Ann");
  await page.getByRole("heading", { name: "Messages" }).or(page.getByRole("navigation")).first().waitFor();
  await page.locator("[data-row]").filter({ hasText: "Ann" }).first().waitFor();
  // All chats with other names are hidden.
  await until(async () => (await page.locator("[data-row]").filter({ hasNotText: "Ann" }).count()) === 0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await tabTo("Message");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("in three");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.type("lines");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("By keyboard").waitFor();
  const byKeyboard = async () =>
    (await ann.sent("sendMessage", 1)).filter(({ request }) => /^By keyboard/.test(String(request["text"])));
  await until(async () => (await byKeyboard()).length === 1);
  expect((await byKeyboard())[0]?.request["text"]).toBe("By keyboard\nin three\nlines");
  await ann.write({ text: "I have no mouse either" });
  await seesOnce(page, "I have no mouse either");
  await tabTo("Message actions", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Reply" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Answer to").waitFor();
  expect(await focused()).toBe("Message");
  await page.keyboard.type("Then we are two");
  await page.keyboard.press("Enter");
  await seesOnce(page, "Then we are two");
  await until(async () => (await page.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  await tabTo("Message actions", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Reply" }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByRole("list", { name: "Reactions" }).getByText("🙏").waitFor();
  await checkLook(page, "chat-reaction");
  await tabTo("Message");
  await page.keyboard.press("ArrowUp");
  await page.getByText("Changing the message").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Changing the message").waitFor({ state: "hidden" });
  await page.keyboard.press("Escape");
  await until(async () => (await page.evaluate("document.activeElement.dataset.row")) === "0");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await checkLook(page, "chat-help");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  // Ctrl+K in a Russian layout.
  await page.evaluate(`document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key: "л", code: "KeyK", ctrlKey: true, bubbles: true, cancelable: true })
  )`);
  await until(async () => (await focused()) === "Name, phone or text");
});

test("keys pressed in immediate succession are not lost while requests are in progress", async () => {
  const { page } = await openChats(stand, MARIA);
  const navigation = page.getByRole("navigation");
  await navigation.getByRole("button", { name: /^Boris/ }).waitFor();
  // For now, the search returns nothing.
  await page.route(/\/app\/api\/chats\?.*search=/, () => undefined);
  const opened = await pressAtOnce(page, ["Control+k", ..."Ann", "ArrowDown", "Enter", ..."Hi"]);
  expect(opened).toEqual({ label: "Message", value: "Hi", row: undefined });
  const search = page.getByRole("searchbox", { name: "Name, phone or text" });
  expect(await search.inputValue()).toBe("Ann");
  expect(await page.locator("[data-row]").filter({ hasNotText: "Ann" }).count()).toBe(0);
  await page.getByRole("heading", { name: "Ann" }).waitFor();

  await page.keyboard.press("Enter");
  await seesOnce(page, "Hi");
  await until(async () => (await act(page, "Hi")).includes("Edit"));
  await page.route("**/app/api/messages/*", () => undefined, { times: 1 });
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.press("ArrowUp");
  await page.getByText("Changing the message").waitFor();
  // The edit is not stored yet: what is typed next is a new message.
  const changed = await pressAtOnce(page, [..."!", "Enter", ..."More"]);
  expect(changed.value).toBe("More");

  await search.fill("");
  await navigation.getByRole("button", { name: /^Boris/ }).waitFor();
  await pressAtOnce(page, ["Control+k"]);
  const moved = await pressAtOnce(page, ["ArrowDown", "ArrowDown"]);
  expect(moved.row).toBe("1");
  await openChat(page, "Ann");
  const left = await pressAtOnce(page, ["Escape", "ArrowDown"]);
  expect(Number(left.row)).toBeGreaterThan(0);

  // With one pane at a time, the key returns to the list.
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("textbox", { name: "Message" }).focus();
  const narrow = await pressAtOnce(page, ["Control+k", ..."Bo"]);
  expect(narrow).toEqual({ label: "Name, phone or text", value: "Bo", row: undefined });
  await pressAtOnce(page, ["ArrowDown", "?"]);
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
});

test("a late response does not overwrite newer updates of the stream", async () => {
  const { page } = await openChats(stand, MARIA);
  const row = page.getByRole("navigation").getByRole("button", { name: /^Ann/ });
  await row.waitFor();
  await ann.write({ text: "Early" });
  await row.getByText("Early").waitFor();
  const read = await holdAnswer(page, "POST", "**/app/api/chats/*/read");
  await openChat(page, "Ann");
  await read.answered;
  await ann.write({ text: "Late" });
  await seesOnce(page, "Late");
  await row.getByText("Late").waitFor();
  await read.release();
  expect(await row.getByText("Late").count()).toBe(1);
});

test("the loading state, a failed load, search results, the details, and 200 % zoom", async () => {
  const nobody = await openChats(stand, MARIA, {
    scope: "card",
    chats: [{ chat_type: "telegram", chat_id: "404", contact_name: "Nobody" }],
  });
  await nobody.page.getByText("No conversation with this contact yet").waitFor();
  await checkLook(nobody.page, "chat-empty");
  const { page, problems } = await openChats(stand, MARIA, { hold: true });
  // The page is busy before its texts are loaded, too.
  await page.getByRole("main").waitFor();
  await page.locator("[aria-busy=true]").first().waitFor();
  await checkLook(page, "chat-loading");
  // Before its texts are loaded, too.
  await page.route(/\/assets\/en-\w/, () => undefined);
  await page.reload();
  await page.getByRole("heading", { name: "Chats", level: 1 }).waitFor();
  expect(await findProblems(page)).toEqual([]);
  await page.unroute(/\/assets\/en-\w/);
  await page.unroute("**/app/api/chats?*");
  await page.route("**/app/api/chats?*", (route) =>
    route.fulfill({ status: 503, json: { error: "UNAVAILABLE" } }),
  );
  await page.reload();
  await page.getByText("This link no longer works").waitFor();
  await checkLook(page, "chat-used");
  await page.goto(await chatsLink(stand, MARIA));
  await page.getByRole("alert").getByText("The service is busy").waitFor();
  await checkLook(page, "chat-not-loaded");
  await page.unroute("**/app/api/chats?*");
  await page.getByRole("button", { name: "Try again" }).click();
  const search = page.getByRole("searchbox", { name: "Name, phone or text" });
  await search.fill("keyboard");
  await page.getByRole("region", { name: "Messages" }).getByText("By keyboard").waitFor();
  expect(await page.getByText("Nothing found").count()).toBe(0);
  await checkLook(page, "chat-search");
  await search.fill("nobody is called so");
  await page.getByText("Nothing found").waitFor();
  expect(await findProblems(page)).toEqual([]);
  // The service takes only a part of a long text.
  const [answer] = await Promise.all([
    page.waitForResponse((response) => /\/app\/api\/chats\?.*search=pasted/.test(response.url())),
    search.fill("pasted ".repeat(50)),
  ]);
  expect(answer.status()).toBe(200);
  await search.fill("");
  await page.setViewportSize({ width: 1280, height: 800 });
  await openChat(page, "Ann");
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("dialog", { name: "Ann" }).getByText("Id in the messenger").waitFor();
  await checkLook(page, "chat-details");
  // A wider window shows the details beside the chat.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Details" }).getByText("Id in the messenger").waitFor();
  // 1280 by 720 at 200 %.
  await resize(page, { width: 640, height: 360 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(640);
  const field = await page.getByRole("textbox", { name: "Message" }).boundingBox();
  expect((field?.y ?? 360) + (field?.height ?? 0)).toBeLessThanOrEqual(360);
  expect((await page.getByRole("log").boundingBox())?.height).toBeGreaterThan(60);
  problems.splice(0);
});

test("in a frame of another site, without cookies: shown if the origin is allowed, and renewed there", async () => {
  const embedder = await startEmbedder();
  onTestFinished(embedder.close);
  const frames = (origins: string) =>
    runCli(stand, ["account", "frames", "--account", String(stand.account.accountId), "--origins", origins]);
  await frames(embedder.origin);
  onTestFinished(() => frames("any").then(() => undefined));
  const window = await openWindow(stand.browser, { width: 1280 });
  const { page, context, problems } = window;
  closeWithTest(window);
  await blockForeignCookies(page);
  const link = () => chatsLink(stand, MARIA, { use_events: { messages: true, deals: false } });

  await page.goto(`${embedder.otherOrigin}/`);
  const refused = await show(page, await link());
  await refused.getByText("This site may not show the page").waitFor();
  await refused.getByText(embedder.otherOrigin, { exact: true }).waitFor();
  expect(await refused.locator("#app").count()).toBe(0);
  expect(problems.splice(0)).toEqual([]);

  await page.goto(`${embedder.origin}/`);
  const used = await link();
  const frame = await show(page, used);
  const chats = page.frameLocator("iframe");
  await chats.getByRole("navigation").getByRole("button", { name: /^Ann/ }).click();
  const field = chats.getByRole("textbox", { name: "Message" });
  await field.fill("From a frame");
  await field.press("Enter");
  await chats.getByRole("log").getByText("From a frame", { exact: true }).waitFor();
  await until(async () => (await toldBy(page)).some(({ type }) => type === "message.sent"));
  expect(new Set((await toldBy(page)).map(({ origin }) => origin))).toEqual(new Set([stand.url]));
  expect(await context.cookies()).toEqual([]);
  expect(await frame.evaluate("document.cookie")).toBe("");

  // A second person who uses the link is refused.
  const thief = await openWindow(stand.browser);
  closeWithTest(thief);
  await thief.page.goto(used);
  await thief.page.getByText("This link no longer works").waitFor();

  await field.fill("a draft");
  await stand.db.query("update page_tickets set expires_at = now()");
  await field.fill("Sent when the session is over");
  await field.press("Enter");
  await chats.getByText("This session is over").waitFor();
  await until(async () => (await toldBy(page)).some(({ type }) => type === "session.ended"));
  await field.fill("What was typed stays");
  const renew = async (ticket: string) => page.evaluate(`renew(${JSON.stringify(ticket)})`);
  await renew("no ticket");
  await renew(new URL(await link()).searchParams.get("ticket") ?? "");
  await chats.getByText("This session is over").waitFor({ state: "hidden" });
  await ann.sent("sendMessage", 1);
  await chats.getByRole("log").getByText("Sent when the session is over", { exact: true }).waitFor();
  await until(async () => (await chats.getByRole("img", { name: "Waiting to be sent" }).count()) === 0);
  expect(await field.inputValue()).toBe("What was typed stays");
  await ann.write({ text: "Told by the renewed stream" });
  await chats.getByRole("log").getByText("Told by the renewed stream", { exact: true }).waitFor();
});
