import { expect, test } from "vitest";
import { contentDisposition, safeMimeType } from "./file-headers.ts";

test.each([
  ["image/png", "image/png"],
  ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
  ["", "application/octet-stream"],
  ["image", "application/octet-stream"],
  ["text/html\r\nset-cookie: a=b", "application/octet-stream"],
])("type %j", (given, expected) => {
  expect(safeMimeType(given)).toBe(expected);
});

test.each([
  ["image/png", null, "inline"],
  ["audio/ogg", "", "inline"],
  ["application/pdf", "a.pdf", "inline; filename=\"a.pdf\"; filename*=UTF-8''a.pdf"],
  ["image/svg+xml", null, "attachment"],
  ["text/html", "x.html", "attachment; filename=\"x.html\"; filename*=UTF-8''x.html"],
  ["application/xhtml+xml", null, "attachment"],
  [
    "video/mp4",
    "отчёт.mp4",
    "inline; filename=\"_____.mp4\"; filename*=UTF-8''%D0%BE%D1%82%D1%87%D1%91%D1%82.mp4",
  ],
  [
    "text/plain",
    'a"b\\c;\r\nd/e',
    "attachment; filename=\"a_b_c___d_e\"; filename*=UTF-8''a%22b%5Cc%3B%0D%0Ad%2Fe",
  ],
  ["image/png", "\ud800.png", "inline; filename=\"_.png\"; filename*=UTF-8''%EF%BF%BD.png"],
])("disposition of %s named %j", (type, name, expected) => {
  expect(contentDisposition(type, name)).toBe(expected);
});
