import { expect, test } from "vitest";
import { startS3 } from "../../../test/kit/s3.ts";
import { checkFiles } from "./files.ts";

test("reports nothing for files in the data directory", async () => {
  expect(await checkFiles({ s3: null })).toEqual([]);
});

test("is ok if an object can be put, read and removed", async () => {
  const s3 = await startS3();
  const where = `${s3.endpoint}/${s3.bucket}/a/`;
  expect(await checkFiles({ s3: { ...s3, prefix: "a/" } })).toEqual([
    { name: "files", status: "ok", detail: where },
  ]);
  expect(s3.requests.map((request) => request.split(" ")[0])).toEqual(["PUT", "GET", "DELETE"]);
  expect(s3.objects.size).toBe(0);
  await s3.stop();
});

test.each([
  [{ secretAccessKey: "another" }, "SignatureDoesNotMatch"],
  [{ accessKeyId: "another" }, "InvalidAccessKeyId"],
  [{ region: "another" }, "AuthorizationHeaderMalformed"],
  [{ bucket: "another" }, "NoSuchBucket"],
])("reports %j with the store's error code", async (change, code) => {
  const s3 = await startS3();
  const [finding] = await checkFiles({ s3: { ...s3, prefix: "", ...change } });
  expect(finding).toMatchObject({ name: "files", status: "fail", detail: expect.stringContaining(code) });
  expect(finding?.remedy).toContain("S3_");
  expect(finding?.detail).not.toContain(s3.secretAccessKey);
  await s3.stop();
});
