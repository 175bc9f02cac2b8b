import { expect, test } from "vitest";
import { contentDisposition, safeMimeType } from "./file-headers.ts";

test.each([
  ["image/png", "image/png"],
  ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
  ["", "application/octet-stream"],
  ["image", "application/octet-stream"],
  ["text/html\r\nset-cookie: a=b", "application/octet-stream"],
  ["audio/ogg; codecs=opus", "audio/ogg; codecs=opus"],
  ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'],
  ['video/mp4; codecs="a\r\nb"', "application/octet-stream"],
  ["application/pdf", "application/pdf"],
  ["text/csv", "text/csv"],
  ["application/json", "application/json"],
  [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ],
  ["application/postscript", "application/postscript"],
])("type %j", (given, expected) => {
  expect(safeMimeType(given)).toBe(expected);
});

test.each([
  "text/html",
  "TEXT/HTML; charset=utf-8",
  "application/xhtml+xml",
  "image/svg+xml",
  "text/xml",
  "application/xml",
  "application/atom+xml",
  "application/xslt+xml",
  "text/xsl",
  "text/javascript",
  "text/javascript; charset=utf-8",
  "text/javascript1.5",
  "application/javascript",
  "application/x-javascript",
  "application/ecmascript",
  "text/x-ecmascript",
  "text/jscript",
  "text/livescript",
  "text/css",
  "application/wasm",
  "application/hta",
  "application/x-shockwave-flash",
  "application/java-archive",
  "application/x-java-applet",
  "application/signed-exchange",
  "multipart/x-mixed-replace; boundary=x",
  "multipart/related",
  "message/rfc822",
])("%s is served as a download", (type) => {
  expect(safeMimeType(type)).toBe("application/octet-stream");
  expect(contentDisposition(type, null)).toBe("attachment");
});

test.each([
  ["image/png", null, "inline"],
  ["audio/ogg; codecs=opus", null, "inline"],
  ["audio/ogg", "", "inline"],
  ["application/pdf", "a.pdf", "attachment; filename=\"a.pdf\"; filename*=UTF-8''a.pdf"],
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
