import { expect, test } from "vitest";
import { CsvReader, type CsvRecord } from "./csv.ts";

function recordsOf(text: string, chunk = text.length): CsvRecord[] {
  const reader = new CsvReader();
  const records: CsvRecord[] = [];
  for (let from = 0; from < text.length; from += chunk)
    records.push(...reader.read(text.slice(from, from + chunk)));
  return [...records, ...reader.end()];
}
const rowsOf = (text: string, chunk?: number) =>
  recordsOf(text, chunk).map((record) => ("cells" in record ? record.cells : record.fault));

test.each([
  ["CR LF", "a,b\r\n1,2\r\n3,4\r\n"],
  ["LF", "a,b\n1,2\n3,4\n"],
  ["CR", "a,b\r1,2\r3,4\r"],
  ["no line end at the end", "a,b\n1,2\n3,4"],
  ["semicolons", "a;b\n1;2\n3;4\n"],
  ["tabs", "a\tb\n1\t2\n3\t4\n"],
  ["empty lines", "a,b\n\n1,2\r\n\r\n3,4\n\n"],
  ["quotes around everything", '"a","b"\n"1","2"\n"3","4"\n'],
])("%s", (_name, text) => {
  const expected = [
    ["a", "b"],
    ["1", "2"],
    ["3", "4"],
  ];
  for (const chunk of [1, 2, 3, text.length]) expect(rowsOf(text, chunk)).toEqual(expected);
});

test.each([
  ["delimiters, quotes and line ends inside quotes", 'a,b\n"x,""y""\r\nz",😀\n', 'x,"y"\r\nz', "😀"],
  ["an empty quoted cell", 'a,b\n"",x\n', "", "x"],
  ["only quotes", 'a,b\n"""",x\n', '"', "x"],
  ["a quote inside an unquoted cell", 'a,b\n5" screen,x\n', '5" screen', "x"],
  ["other delimiters are text", "a,b\nx;y\tz,x\n", "x;y\tz", "x"],
])("%s", (_name, text, ...cells) => {
  for (const chunk of [1, 2, 3, text.length]) expect(rowsOf(text, chunk)[1]).toEqual(cells);
});

test.each([
  ["a record with too many cells", "a,b\n1,2,3\n4,5\n", "the record has 3 cells, the header has 2"],
  ["a record with too few", "a,b\n1\n4,5\n", "the record has 1 cells, the header has 2"],
  ["text after a quote", 'a,b\n"1"x,2\n4,5\n', "there is text after a closing quote in cell 1"],
  ["a quote that is never closed", 'a,b\n1,"2\n4,5\n', "a quote is not closed"],
  [
    "a quote that is closed by another record's",
    'a,b\n1,"2\n4,5\n6,"7"\n',
    "there is text after a closing quote in cell 2",
  ],
])("%s costs this record only", (_name, text, fault) => {
  for (const chunk of [1, 2, 3, text.length]) {
    const [, faulty, next] = recordsOf(text, chunk);
    expect(faulty).toEqual({ line: 2, fault });
    expect(next).toEqual({ line: 3, cells: ["4", "5"] });
  }
});

test("lines are those of an editor, also behind cells with several", () => {
  const text = 'a,b\r\n"x\ny\r\nz",2\r\n\r\n3,4\r\n5,6,7\r\n8,9';
  expect(recordsOf(text).map(({ line }) => line)).toEqual([1, 2, 6, 7, 8]);
});

test("a record without an end does not fill the memory", () => {
  const reader = new CsvReader();
  const [header] = reader.read('a,b\n1,"');
  expect(header).toEqual({ line: 1, cells: ["a", "b"] });
  const records: CsvRecord[] = [];
  for (let n = 0; n < 20; n++) records.push(...reader.read(`${"x".repeat(100_000)}\n`));
  expect(records[0]).toEqual({ line: 2, fault: "the record is longer than 1048576 characters" });
  expect(records[1]).toEqual({ line: 3, fault: "the record has 1 cells, the header has 2" });
});
