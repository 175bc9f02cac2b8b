import { expect, test } from "vitest";
import type { WireMessage } from "../model.ts";
import { asPage, asText, type ExportedNote, type ExportHead, fileNameOf } from "./exported.ts";

const head: ExportHead = {
  title: "Ann <Karp>",
  language: "en",
  customer: "Ann",
  us: "Shop",
  timeOf: (time) => new Date(time).toISOString().slice(0, 16),
  kindOf: ({ type }) => type,
  deleted: "deleted",
  edited: "edited",
  notSent: "not sent",
  note: "internal note",
};
const message = (more: Partial<WireMessage>): WireMessage =>
  ({
    at: "2026-05-01T10:00:00.000Z",
    direction: "in",
    type: "text",
    status: "inbound",
    text: "Hi",
    file: null,
    author: null,
    sender: null,
    edited_at: null,
    deleted_at: null,
    ...more,
  }) as WireMessage;
const file = (url: string): WireMessage["file"] => ({
  url,
  name: "a\u202Egpj.exe",
  mime_type: "image/png",
  size: 1,
  kind: "image",
  is_external: false,
  state: "stored",
});

test.each<[string, Partial<WireMessage>, string]>([
  ["a customer's", {}, "[2026-05-01T10:00] Ann: Hi"],
  ["of several lines", { text: "a\nb" }, "[2026-05-01T10:00] Ann: a\nb"],
  [
    "an employee's",
    { direction: "out", author: { id: "1", name: "Maria" }, status: "sent" },
    "[2026-05-01T10:00] Maria: Hi",
  ],
  ["of the channel's device", { direction: "echo" }, "[2026-05-01T10:00] Shop: Hi"],
  [
    "that failed, was edited and deleted",
    { direction: "out", status: "error", edited_at: "x", deleted_at: "x" },
    "[2026-05-01T10:00] Shop (edited, deleted, not sent): Hi",
  ],
  ["without text", { type: "missing_call", text: null }, "[2026-05-01T10:00] Ann: missing_call"],
  [
    "with a file",
    { type: "image", file: file("https://files.example/a") },
    "[2026-05-01T10:00] Ann: Hi\nagpj.exe: https://files.example/a",
  ],
  [
    "with a link that is none",
    { type: "image", file: file("javascript:alert(1)") },
    "[2026-05-01T10:00] Ann: Hi",
  ],
])("a message %s as text", (_, more, expected) =>
  expect(asText(head, [message(more)])).toBe(`Ann <Karp>\n\n${expected}\n`),
);

test("an internal note is marked as one", () => {
  const note: ExportedNote = {
    id: "n1",
    chat_id: "c1",
    kind: "note",
    order: "1",
    at: "2026-05-01T10:00:00.000Z",
    author: { id: "1", name: "Maria" },
    text: "Wants a discount",
    from: null,
    to: null,
    until: null,
    proposal: null,
    edited_at: null,
    deleted_at: null,
  };
  expect(asText(head, [note])).toContain("[2026-05-01T10:00] Maria (internal note): Wants a discount\n");
  expect(asPage(head, [note])).toContain("<i>internal note</i>");
});

test("a page shows what customers wrote as text, and has no script", () => {
  const hostile = `<img src=x onerror="alert('1')"> & </ol><script>`;
  const page = asPage(head, [
    message({ text: hostile, sender: { id: "1", name: "<b>Eve</b>" } as WireMessage["sender"] }),
    message({ type: "image", text: null, file: file(`https://files.example/"onmouseover="x`) }),
  ]);
  expect(page).toContain(
    "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; &lt;/ol&gt;&lt;script&gt;",
  );
  expect(page).toContain("&lt;b&gt;Eve&lt;/b&gt;");
  expect(page).toContain('href="https://files.example/&quot;onmouseover=&quot;x"');
  expect(page).toContain("<title>Ann &lt;Karp&gt;</title>");
  expect(page).not.toMatch(/<script|<img/);
});

test.each([
  ["Ann Karp", "Ann Karp.txt"],
  ["../../etc/passwd", "etc passwd.txt"],
  ["a\u202Etxt.exe", "atxt.exe.txt"],
  ["***", "chat.txt"],
  ["Анна", "Анна.txt"],
])("the file name of %j", (title, expected) => expect(fileNameOf(title, "txt")).toBe(expected));
