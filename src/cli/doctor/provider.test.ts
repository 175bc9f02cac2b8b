import { expect, test } from "vitest";
import { startOpenIdProvider } from "../../../test/kit/openid-provider.ts";
import { readConfig } from "../../config.ts";
import { checkProvider } from "./provider.ts";

const read = (issuer: string, networks = "127.0.0.0/8") =>
  readConfig(
    {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: "gateway",
      OIDC_ROLES: "operator=a",
      ALLOW_NETWORKS: networks,
      NODE_ENV: "production",
      PUBLIC_URL: "https://gw.example",
    },
    [],
  );

test("the provider of the console is asked on request, and what is wrong is said", async () => {
  expect(await checkProvider(readConfig({}, []), true)).toEqual([]);
  const provider = await startOpenIdProvider({ people: {} });
  const { issuer } = provider;
  const detail = `${issuer}/, redirect address https://gw.example/app/console`;
  expect(await checkProvider(read(issuer), true)).toEqual([
    { name: "console sign-in", status: "ok", detail },
  ]);
  expect(await checkProvider(read(issuer), false)).toMatchObject([
    { status: "ok", detail: `${detail}; not tried, --network asks the provider` },
  ]);
  expect(await checkProvider(read(`${issuer}/other`), true)).toMatchObject([
    { status: "warn", detail: expect.stringContaining("unexpected HTTP response status code") },
  ]);
  expect(await checkProvider(read(issuer, ""), true)).toMatchObject([
    { status: "warn", detail: expect.stringContaining("is not a public address") },
  ]);
  await provider.stop();
  expect(await checkProvider(read(issuer), true)).toMatchObject([
    {
      status: "warn",
      detail: expect.stringContaining("ECONNREFUSED"),
      remedy: expect.stringContaining("OIDC_ISSUER"),
    },
  ]);
});
