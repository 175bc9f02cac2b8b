import { badParam } from "../../meta/graph-error.ts";
import { characters, type Param } from "../../meta/param.ts";
import { whatsAppError } from "../call/whatsapp-error.ts";
import { type MediaUse, readSource } from "./media-use.ts";

const maxBody = 1024;
const maxFooter = 60;
const maxHeader = 60;
const maxRows = 10;
const mediaHeaders = ["document", "image", "video"] as const;

/** Checks an interactive message and returns the files in its header. */
export function readInteractive(interactive: Param): readonly MediaUse[] {
  const type = interactive.needText("type");
  interactive.only("type", "header", "body", "footer", "action");
  const actions: Readonly<Record<string, (action: Param) => void>> = {
    button: readButtons,
    list: readList,
    cta_url: readUrlButton,
    location_request_message: readLocationRequest,
  };
  const readAction = actions[type];
  if (!readAction) {
    throw badParam(
      `Param interactive['type'] must be one of {${Object.keys(actions).join(", ").toUpperCase()}} - got "${type}".`,
    );
  }
  const body = interactive.object("body")?.only("text");
  if (!body) throw whatsAppError(131008, "Interactive body is required.");
  checkLength("Body text", body.needText("text"), maxBody);
  const footer = interactive.object("footer")?.only("text");
  if (footer) checkLength("Footer text", footer.needText("text"), maxFooter);
  readAction(interactive.needObject("action"));
  if (type === "location_request_message" && (footer || interactive.has("header"))) {
    throw whatsAppError(131009, "A location request has neither header nor footer.");
  }
  return readHeader(interactive.object("header"), type);
}

function readHeader(header: Param | undefined, type: string): readonly MediaUse[] {
  if (!header) return [];
  const kind = header.needOneOf("type", ["text", ...mediaHeaders]);
  header.only("type", kind);
  if (kind === "text") {
    checkLength("Header text", header.needText("text"), maxHeader);
    return [];
  }
  if (type === "list") throw whatsAppError(131009, "Header of a list message must be a text.");
  return [readSource(header.needObject(kind).only("id", "link", "filename"), kind)];
}

/** 1 to 3 buttons with distinct titles and ids. */
function readButtons(action: Param): void {
  const buttons = action.only("buttons").needList("buttons");
  if (buttons.length < 1 || buttons.length > 3) {
    throw whatsAppError(131009, "Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3");
  }
  const replies = buttons.map((button) => {
    if (button.only("type", "reply").needText("type") !== "reply") {
      throw whatsAppError(131009, "Button type must be reply.");
    }
    return button.needObject("reply").only("id", "title");
  });
  for (const reply of replies) {
    checkLength("Button reply id", reply.text("id") ?? "", 256);
    checkLength("Button title", reply.text("title") ?? "", 20);
  }
  checkUnique(
    "Duplicate button id",
    replies.map((reply) => reply.needText("id")),
  );
  checkUnique(
    "Duplicate button title",
    replies.map((reply) => reply.needText("title")),
  );
}

/** 1 to 10 sections with at most 10 rows in total; with more than one section each needs a title. */
function readList(action: Param): void {
  action.only("button", "sections");
  checkLength("Button text", action.text("button") ?? "", 20);
  const sections = action.needList("sections");
  if (sections.length < 1 || sections.length > 10) {
    throw whatsAppError(131009, "Invalid sections count. Min allowed sections: 1, Max allowed sections: 10");
  }
  for (const section of sections) {
    section.only("title", "rows");
    const title = section.text("title");
    if (title === undefined && sections.length > 1) {
      throw whatsAppError(131009, "Section title is required when there is more than one section.");
    }
    if (title !== undefined) checkLength("Section title", title, 24);
  }
  const rows = sections.flatMap((section) => section.needList("rows"));
  if (rows.length < 1 || rows.length > maxRows) {
    throw whatsAppError(131009, `Total row count exceed max allowed count: ${maxRows}`);
  }
  for (const row of rows) readRow(row);
  checkUnique(
    "Duplicated row id",
    rows.map((row) => row.needText("id")),
  );
}

function readRow(row: Param): void {
  row.only("id", "title", "description");
  checkLength("Row id", row.text("id") ?? "", 200);
  checkLength("Row title", row.text("title") ?? "", 24);
  const description = row.text("description");
  if (description !== undefined) checkLength("Row description", description, 72);
}

function readUrlButton(action: Param): void {
  if (action.only("name", "parameters").needText("name") !== "cta_url") {
    throw badParam(`Param interactive['action']['name'] must be one of {CTA_URL}.`);
  }
  const parameters = action.needObject("parameters").only("display_text", "url");
  checkLength("Display text", parameters.text("display_text") ?? "", 20);
  const url = parameters.needText("url");
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw whatsAppError(131009, "Invalid CTA URL.");
}

/** Requests the person's location; the answer is an ordinary location message. */
function readLocationRequest(action: Param): void {
  if (action.only("name").needText("name") === "send_location") return;
  throw badParam(`Param interactive['action']['name'] must be one of {SEND_LOCATION}.`);
}

/** WhatsApp's own checks do not name the parameter: `Button title length invalid. Min length: 1, Max length: 20`. */
function checkLength(what: string, text: string, max: number): void {
  const length = characters(text);
  if (length >= 1 && length <= max) return;
  throw whatsAppError(131009, `${what} length invalid. Min length: 1, Max length: ${max}`);
}

function checkUnique(complaint: string, texts: readonly string[]): void {
  const repeated = texts.find((text, index) => texts.indexOf(text) !== index);
  if (repeated !== undefined) throw whatsAppError(131009, `${complaint}: ${repeated}`);
}
