import { opcode } from "../opcode.ts";
import {
  badPayload,
  badToken,
  noHandshake,
  profileBlocked,
  Refusal,
  tooMany,
  trackNotFound,
} from "../refusal.ts";
import { chatShape, contactShape } from "../shape.ts";
import type { Account, Session } from "../world/account.ts";
import { newestFirst } from "../world/chat-list.ts";
import type { PasswordTrack } from "../world/tracks.ts";
import { newToken, type World } from "../world/world.ts";
import { type GuestCall, type Operations, strictFields } from "./operation.ts";

const wrongPasswords = 5;
const wrongCodes = 3;
const codesPerMinute = 4;
/** Measured with max-cli: LOGIN with 200 is refused, 100 works. */
const mostChats = 100;

/** The operations allowed before the login. */
export const loginOperations: Operations<GuestCall> = {
  [opcode.authRequest]: {
    name: "AUTH_REQUEST",
    fields: ["phone", "type", "language", "captchaToken"],
    run: requestCode,
  },
  [opcode.auth]: { name: "AUTH", fields: ["token", "verifyCode", "authTokenType"], run: checkCode },
  [opcode.login]: {
    name: "LOGIN",
    fields: [
      "token",
      "chatsCount",
      "interactive",
      "chatsSync",
      "contactsSync",
      "presenceSync",
      "draftsSync",
      "configHash",
    ],
    run: logIn,
  },
  [opcode.loginCheckPassword]: {
    name: "AUTH_LOGIN_CHECK_PASSWORD",
    fields: ["trackId", "password"],
    run: checkPassword,
  },
  [opcode.getQr]: { name: "GET_QR", fields: [], run: getQr },
  [opcode.getQrStatus]: { name: "GET_QR_STATUS", fields: ["trackId"], run: qrStatus },
  [opcode.loginByQr]: { name: "LOGIN_BY_QR", fields: ["trackId"], run: loginByQr },
};

function getQr({ world }: GuestCall): unknown {
  const { qrTtlMs, qrPollingMs } = world.settings;
  const track = world.tracks.addQr(qrTtlMs);
  world.note("qr", undefined, track.link);
  return {
    qrLink: track.link,
    trackId: track.id,
    pollingInterval: qrPollingMs,
    expiresAt: track.expiresMs,
    ttl: qrTtlMs,
  };
}

function qrStatus({ world, fields }: GuestCall): unknown {
  const track = world.tracks.qr(fields.needText("trackId"));
  if (!track) throw trackNotFound();
  return { status: { ...(track.account && { loginAvailable: true }), expiresAt: track.expiresMs } };
}

/** Valid once; without a scan, the track is not found, as after its expiry. */
function loginByQr(call: GuestCall): unknown {
  const { world, fields } = call;
  const track = world.tracks.qr(fields.needText("trackId"));
  if (!track?.account) throw trackNotFound();
  world.tracks.end(track.id);
  return passOrChallenge(call, track.account);
}

function requestCode({ world, fields }: GuestCall): unknown {
  const phone = fields.needText("phone");
  if (fields.oneOf("type", ["START_AUTH", "RESEND"]) === undefined) throw fields.missing("type");
  if (world.settings.captcha && !fields.has("captchaToken"))
    throw new Refusal("captcha.required", "captcha required", "Подтвердите, что вы не робот");
  if (!world.rates.take(`code:${phone}`, codesPerMinute, codesPerMinute / 60))
    throw new Refusal("error.limit.violate", "too many codes", "Слишком много попыток");
  const account = world.findByPhone(phone);
  if (!account) throw new Refusal("error.phone.wrong", "unknown phone", "Неверный номер");
  const track = world.tracks.addCode(account, world.settings.codeTtlMs);
  world.note("code_sent", account, track.code);
  return {
    token: track.token,
    codeLength: track.code.length,
    requestMaxDuration: 60_000,
    requestCountLeft: 3,
  };
}

function checkCode(call: GuestCall): unknown {
  const { world, fields } = call;
  const track = world.tracks.code(fields.needText("token"));
  if (fields.needText("authTokenType") !== "CHECK_CODE") throw badPayload("authTokenType must be CHECK_CODE");
  if (!track || world.tracks.isExpired(track))
    throw new Refusal("verify.token", "token expired", "Срок действия кода истёк");
  if (fields.needText("verifyCode") !== track.code) {
    track.wrong++;
    if (track.wrong < wrongCodes) throw new Refusal("verify.code.wrong", "wrong code", "Неверный код");
    world.tracks.end(track.token);
    throw new Refusal("error.code.attempt.limit", "too many wrong codes", "Слишком много попыток");
  }
  world.tracks.end(track.token);
  return passOrChallenge(call, track.account);
}

function passOrChallenge({ world, connection }: GuestCall, account: Account): unknown {
  if (account.isBlocked) throw profileBlocked();
  if (!account.password) return loginToken({ world, connection }, account);
  const { id } = world.tracks.addPassword(account);
  const { hint } = account.password;
  return { passwordChallenge: { trackId: id, ...(hint !== undefined && { hint }) } };
}

function checkPassword({ world, connection, fields }: GuestCall): unknown {
  const track = world.tracks.password(fields.needText("trackId"));
  if (!track) throw trackNotFound();
  if (fields.needText("password") !== track.account.password?.word) throw wrongPassword(world, track);
  world.tracks.end(track.id);
  return loginToken({ world, connection }, track.account);
}

function wrongPassword(world: World, track: PasswordTrack): Refusal {
  world.note("wrong_password", track.account);
  track.wrong++;
  if (track.wrong < wrongPasswords)
    return new Refusal("password2fa.wrong", "FAIL_WRONG_PASSWORD", "Неверный пароль");
  world.tracks.end(track.id);
  return new Refusal("password2fa.no.attempts", "no attempts left", "Слишком много попыток");
}

function loginToken({ world, connection }: Omit<GuestCall, "fields">, account: Account): unknown {
  if (!connection.handshake) throw noHandshake();
  const session = world.addSession(account, connection.handshake);
  world.note("linked", session);
  return { tokenAttrs: { LOGIN: { token: session.token } } };
}

function logIn({ world, connection, fields }: GuestCall): unknown {
  const token = fields.needText("token");
  const chatsCount = fields.integer("chatsCount") ?? 40;
  if (chatsCount < 0 || chatsCount > mostChats) throw badPayload(`chatsCount must be 0 to ${mostChats}`);
  fields.flag("interactive");
  for (const name of ["contactsSync", "presenceSync", "draftsSync"]) fields.integer(name);
  const session = sessionOf(world, { token, deviceId: connection.handshake?.deviceId });
  const loginFlood = () => new Refusal("login.flood", "too many logins", "Слишком много попыток");
  countAgainst(world, `login:${session.number}`, {
    perMinute: world.flood?.loginsPerMinute,
    refusal: loginFlood,
  });
  attach({ world, connection, session, token });
  const chatsSync = Math.max(0, fields.integer("chatsSync") ?? 0);
  return loginAnswer(world, session, { chatsSync, chatsCount });
}

function sessionOf(
  world: World,
  { token, deviceId }: { token: string; deviceId: string | undefined },
): Session {
  const session = world.tokens.get(token);
  if (session?.account.isBlocked) throw profileBlocked();
  // A token is bound to its device.
  if (session && session.deviceId === deviceId) return session;
  world.note("refused", session, session ? "device" : "token");
  throw badToken(world.endedByAll.has(token) ? "FAIL_LOGOUT_ALL" : "FAIL_LOGIN_TOKEN");
}

/** One connection per token: the earlier one ends. Using the newest token invalidates the previous one. */
function attach(
  login: { world: World; session: Session; token: string } & Pick<GuestCall, "connection">,
): void {
  const { world, connection, session, token } = login;
  if (session.connection && session.connection !== connection) {
    world.note("replaced", session);
    session.connection.close(1000, "replaced");
  }
  if (token === session.token && session.previousToken !== undefined) {
    world.tokens.delete(session.previousToken);
    session.previousToken = undefined;
  }
  if (connection.session && connection.session !== session) connection.session.connection = undefined;
  session.connection = connection;
  session.lastMs = world.nowMs();
  session.account.lastSeenMs = world.nowMs();
  connection.session = session;
  world.note("login", session, connection.codecName);
}

/** Chats that changed since `chatsSync`, newest first, at most `chatsCount`. */
function loginAnswer(
  world: World,
  session: Session,
  wanted: { chatsSync: number; chatsCount: number },
): unknown {
  const { account } = session;
  const all = newestFirst(world, account);
  const chats = all.filter(({ modifiedMs }) => modifiedMs >= wanted.chatsSync).slice(0, wanted.chatsCount);
  const people = new Set(chats.flatMap(({ participants }) => [...participants.keys()]));
  const contacts = [...new Set([...people, ...account.contacts])].flatMap(
    (id) => world.accounts.get(id) ?? [],
  );
  return {
    profile: { contact: contactShape(world, account), profileOptions: account.password ? [1] : [] },
    chats: chats.map((chat) => chatShape(world, chat, account)),
    contacts: contacts.filter(({ id }) => id !== account.id).map((each) => contactShape(world, each)),
    messages: {},
    presence: {},
    drafts: { chats: {}, users: {} },
    time: world.nowMs(),
    ...(world.settings.rotateTokens && { token: replaceToken(world, session) }),
    config: {
      hash: "00000000-0000000000000001-00000000",
      server: {
        "max-msg-length": world.settings.textLimit,
        "edit-timeout": world.settings.editWindowMs / 1000,
      },
    },
  };
}

/** The old token stays valid until the new one is used, because the response may be lost. */
function replaceToken(world: World, session: Session): string {
  if (session.previousToken !== undefined) world.tokens.delete(session.token);
  else session.previousToken = session.token;
  session.token = newToken();
  world.tokens.set(session.token, session);
  world.changed();
  return session.token;
}

const userAgentFields = [
  "deviceType",
  "pushDeviceType",
  "locale",
  "deviceLocale",
  "osVersion",
  "deviceName",
  "headerUserAgent",
  "isPwa",
  "appVersion",
  "screen",
  "timezone",
];

/** SESSION_INIT: the first request of every connection. */
export function beginSession({ world, connection, fields }: GuestCall): unknown {
  const deviceId = fields.needText("deviceId");
  const agent = strictFields(fields.raw("userAgent"), userAgentFields, "userAgent.");
  if (agent.needText("deviceType") !== "WEB") throw badPayload("userAgent.deviceType must be WEB here");
  const appVersion = agent.needText("appVersion");
  agent.flag("isPwa");
  for (const name of userAgentFields) if (name !== "isPwa") agent.text(name);
  if (!(Number(appVersion.split(".")[0]) >= world.settings.minVersion))
    throw new Refusal("client.version.outdated", `version ${appVersion} is outdated`, "Обновите приложение");
  connection.handshake = { deviceId, client: `${agent.text("deviceName") ?? "WEB"} ${appVersion}` };
  world.note("init", undefined, `${connection.codecName} ${connection.handshake.client}`);
  return {
    "app-update-type": 0,
    "phone-auto-complete-enabled": false,
    location: "RU",
    "reg-country-code": ["RU", "BY"],
  };
}

/** Counts a person's requests per minute; throws over the limit. */
export function countAgainst(
  world: World,
  key: string,
  { perMinute, refusal = tooMany }: { perMinute: number | undefined; refusal?: () => Refusal },
): void {
  if (perMinute !== undefined && !world.rates.take(key, perMinute, perMinute / 60)) throw refusal();
}

/** The fields of SESSION_INIT. */
export const handshakeFields = ["userAgent", "deviceId"];
