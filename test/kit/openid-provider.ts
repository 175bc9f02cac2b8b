import { generateKeyPair, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { type Configuration, Provider } from "oidc-provider";

const newKeys = promisify(generateKeyPair);

/** Somebody whom the provider knows, by their name at it. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What it says of people; may be changed. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Sets the address of the service. */
  serve(publicUrl: string): Promise<void>;
  /** Goes on with other keys, and without the sessions and codes that it gave. */
  rotateKeys(): Promise<void>;
  /** Refuses connections until it is called again. */
  setAway(isAway: boolean): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  /** The address of the service; it may be set later. */
  readonly publicUrl?: string;
  readonly people: People;
  /** ID tokens expired this many seconds ago, as if the clock of the service were ahead. */
  readonly expiredSeconds?: number;
  /** Whether the ID token itself has the claims of the scopes. Default: no, they are at the userinfo endpoint. */
  readonly claimsInIdToken?: true;
}

const CLIENT = { clientId: "gateway", clientSecret: "a secret of the client, long enough" };

/** A real OpenID Connect provider on loopback. Its page asks for a name, and for no password. */
export async function startOpenIdProvider(options: Options): Promise<TestProvider> {
  const people = new Map(Object.entries(options.people));
  const server = createServer((request, response) => void handle(request, response));
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host: "127.0.0.1" }, resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  let keys = 0;
  let { publicUrl = "http://127.0.0.1" } = options;
  let provider = await create();

  async function create(): Promise<Provider> {
    const { privateKey } = await newKeys("rsa", { modulusLength: 2048 });
    const key = { ...privateKey.export({ format: "jwk" }), kid: String(++keys), alg: "RS256", use: "sig" };
    const made = new Provider(issuer, {
      ...configurationOf({ ...options, publicUrl }, people),
      jwks: { keys: [key] },
    });
    made.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (options.expiredSeconds !== undefined && body?.id_token !== undefined)
        body.id_token = expired(body.id_token, options.expiredSeconds, privateKey);
    });
    return made;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ""] = (request.url ?? "").split("?");
    if (!path.startsWith("/people/")) return provider.callback()(request, response);
    if (request.method === "GET") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(
        `<!doctype html><html lang="en"><title>Provider</title><form method="post"><label>Name at the provider <input name="name"></label><button>Go on</button></form></html>`,
      );
      return;
    }
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const name = new URLSearchParams(body).get("name") ?? "";
    const result = people.has(name)
      ? { login: { accountId: name } }
      : { error: "access_denied", error_description: "Nobody has this name" };
    await provider.interactionFinished(request, response, result);
  }

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    issuer,
    ...CLIENT,
    people,
    async serve(url) {
      publicUrl = url;
      provider = await create();
    },
    async rotateKeys() {
      provider = await create();
    },
    setAway: (isAway) => (isAway ? close() : listen(port)),
    stop: close,
  };
}

/** The same token, signed again with another end. */
function expired(token: string, seconds: number, key: KeyObject): string {
  const [head = "", claims = ""] = token.split(".");
  const exp = Math.floor(Date.now() / 1_000) - seconds;
  const changed = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), exp };
  const text = `${head}.${Buffer.from(JSON.stringify(changed)).toString("base64url")}`;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

function configurationOf(
  { publicUrl, claimsInIdToken }: Options & { readonly publicUrl: string },
  people: TestProvider["people"],
) {
  return {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${publicUrl}/app/console`],
        post_logout_redirect_uris: [`${publicUrl}/app/console`],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    cookies: { keys: ["a key of cookies"] },
    claims: { openid: ["sub"], profile: ["preferred_username", "roles"], email: ["email", "email_verified"] },
    conformIdTokenClaims: claimsInIdToken !== true,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/people/${uid}` },
    ttl: {
      IdToken: 3_600,
      AccessToken: 3_600,
      Interaction: 3_600,
      Session: 3_600,
      Grant: 3_600,
    },
    async loadExistingGrant(context) {
      const { client, session, provider } = context.oidc;
      const grant = new provider.Grant({
        clientId: client?.clientId ?? "",
        accountId: session?.accountId ?? "",
      });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ ...people.get(id), sub: id }),
    }),
  } satisfies Configuration;
}

/**
 * Goes to the provider as a browser does, gives the name, and returns the address to which the provider sends it back.
 * `cookies`: of the browser at the provider, kept.
 */
export async function signInAtProvider(
  start: string,
  name: string,
  cookies = new Map<string, string>(),
): Promise<URL> {
  let url = new URL(start);
  const { origin } = url;
  let form: string | null = null;
  for (let step = 0; step < 10; step++) {
    const response: Response = await fetch(url, {
      method: form === null ? "GET" : "POST",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join("; ") },
      body: form === null ? null : new URLSearchParams({ name: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(key);
      else cookies.set(key, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    form = null;
    if (location !== null) url = new URL(location, url);
    else if (text.includes("<form")) form = name;
    else throw new Error(`The provider answered ${response.status}: ${text}`);
    if (url.origin !== origin) return url;
  }
  throw new Error("The provider goes round in circles");
}
