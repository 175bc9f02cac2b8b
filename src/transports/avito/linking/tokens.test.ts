import { expect, onTestFinished, test } from "vitest";
import { FAST, linkTo } from "../testing.ts";
import { createTokens } from "./tokens.ts";

const HOUR_S = 3_600;

test.each([
  ["an hour", HOUR_S, 1],
  ["a minute", 60, 1],
  ["a day", 24 * HOUR_S, 1],
])("a token with a life of %s is renewed once, not for each call", async (_, expires_in, renewals) => {
  const link = linkTo("https://avito.example", { expires_at: new Date().toISOString() });
  onTestFinished(() => link.dispose());
  let asked = 0;
  const request: typeof link.request = async () => {
    const body = { access_token: `t${++asked}`, refresh_token: `r${asked}`, expires_in };
    return { status: 200, headers: new Headers(), json: async () => body } as never;
  };
  let { credentials } = link;
  const tokens = createTokens(
    {
      ...link,
      request,
      get credentials() {
        return credentials;
      },
      renewCredentials: async (next) => {
        credentials = next;
      },
    },
    FAST,
  );
  for (let calls = 0; calls < 3; calls++) expect(await tokens.current()).toBe("t1");
  await tokens.settled();
  expect(asked).toBe(renewals);
});
