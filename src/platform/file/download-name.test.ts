import { expect, test } from "vitest";
import { downloadName } from "./download-name.ts";

test.each([
  ["https://x/a/b/photo.jpg?w=1", undefined, "photo.jpg"],
  ["https://x/", undefined, "file"],
  ["https://x/%D1%84%D0%BE%D1%82%D0%BE.png", undefined, "фото.png"],
  ["https://x/%zz.png", undefined, "%zz.png"],
  ["https://x/d", 'attachment; filename="report 1.pdf"', "report 1.pdf"],
  ["https://x/d", "attachment; filename=report.pdf; size=1", "report.pdf"],
  ["https://x/d", "attachment; filename=\"x.pdf\"; filename*=UTF-8''na%C3%AFve.pdf", "naïve.pdf"],
  ["https://x/d", `attachment; filename="${Buffer.from("отчёт.pdf").toString("latin1")}"`, "отчёт.pdf"],
  ["https://x/d", 'attachment; filename="../../etc/passwd"', "passwd"],
  ["https://x/d", 'attachment; filename="C:\\\\temp\\\\a.txt"', "a.txt"],
  ["https://x/..%2f..%2f.bashrc", undefined, "bashrc"],
  ["https://x/a%00%0ab.txt", undefined, "ab.txt"],
  ["https://x/photo_%E2%80%AEgpj.exe", undefined, "photo_gpj.exe"],
  ["https://x/d", "attachment; filename*=UTF-8''..%2F%0A..%2Fa.txt", "a.txt"],
])("%s with %s is named %s", (url, header, expected) => {
  expect(downloadName(new URL(url), header)).toBe(expected);
});

test("long names keep their extension", () => {
  const name = downloadName(new URL(`https://x/${"a".repeat(500)}.jpeg`), undefined);
  expect(name).toHaveLength(200);
  expect(name).toMatch(/a\.jpeg$/);
});
