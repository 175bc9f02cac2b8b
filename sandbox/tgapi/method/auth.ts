import { randomBytes } from "node:crypto";
import Long from "long";
import { provesPassword } from "../crypto/srp.ts";
import { renderUser } from "../render/user.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad, RpcError } from "../rpc/error.ts";
import { findByPhone } from "../world/directory.ts";
import type { CodeLogin } from "../world/login.ts";
import type { Person } from "../world/person.ts";
import { announceLogin, endLogin, finishLogin, logIn } from "./login.ts";

const codeLength = 5;

/** Login by code and password, and transferring a login to another data centre. */
export const authMethods = {
  "auth.sendCode"({ phoneNumber, apiId, apiHash }, call) {
    checkApi(apiId, apiHash);
    const person = needNumber(call, phoneNumber);
    if (person.homeDc !== call.key.dc) throw new RpcError(303, `PHONE_MIGRATE_${person.homeDc}`);
    const login = makeCode(call, person);
    return {
      _: "auth.sentCode",
      type: { _: "auth.sentCodeTypeApp", length: codeLength },
      phoneCodeHash: login.hash,
      timeout: call.world.settings.codeSeconds,
    };
  },

  "auth.resendCode"({ phoneNumber, phoneCodeHash }, call) {
    needCode(call, { phoneNumber, phoneCodeHash });
    const login = makeCode(call, needNumber(call, phoneNumber));
    const type = { _: "auth.sentCodeTypeSms", length: codeLength } as const;
    return { _: "auth.sentCode", type, phoneCodeHash: login.hash };
  },

  "auth.cancelCode"({ phoneNumber, phoneCodeHash }, call) {
    return call.world.codeLogins.delete(needCode(call, { phoneNumber, phoneCodeHash }).hash);
  },

  "auth.signIn"({ phoneNumber, phoneCodeHash, phoneCode }, call) {
    const login = needCode(call, { phoneNumber, phoneCodeHash });
    if (phoneCode === undefined || phoneCode === "") throw bad("PHONE_CODE_EMPTY");
    if (phoneCode !== login.code) throw bad("PHONE_CODE_INVALID");
    call.world.codeLogins.delete(login.hash);
    const person = needNumber(call, phoneNumber);
    const authorization = logIn(call, person);
    announceLogin(call, person);
    return authorization;
  },

  "auth.checkPassword"({ password }, call) {
    const person = pendingPerson(call);
    if (!person?.password) throw bad("PASSWORD_HASH_INVALID");
    if (password._ !== "inputCheckPasswordSRP") throw bad("PASSWORD_HASH_INVALID");
    const id = password.srpId.toString();
    const attempt = person.challenges.get(id);
    person.challenges.delete(id);
    if (!attempt) throw bad("SRP_ID_INVALID");
    if (!provesPassword(person.password, attempt, password)) throw bad("PASSWORD_HASH_INVALID");
    const authorization = finishLogin(call, person);
    announceLogin(call, person);
    return authorization;
  },

  "auth.logOut"(_, call) {
    endLogin(call.world, call.key, "AUTH_KEY_UNREGISTERED");
    return { _: "auth.loggedOut" };
  },

  "auth.resetAuthorizations"(_, { world, key, person }) {
    for (const each of world.keys.values())
      if (each.userId === person.id && each !== key) endLogin(world, each, "SESSION_REVOKED");
    return true;
  },

  "auth.exportAuthorization"({ dcId }, { world, key, person }) {
    if (dcId === key.dc || !world.dataCentres.some(({ id }) => id === dcId)) throw bad("DC_ID_INVALID");
    const bytes = randomBytes(32);
    world.exported.set(`${dcId}/${bytes.toString("hex")}`, person.id);
    return { _: "auth.exportedAuthorization", id: Long.fromNumber(person.id), bytes };
  },

  "auth.importAuthorization"({ id, bytes }, { world, key }) {
    const name = `${key.dc}/${Buffer.from(bytes).toString("hex")}`;
    const userId = world.exported.get(name);
    world.exported.delete(name);
    const person = userId === undefined ? undefined : world.state.people.get(userId);
    if (!person || !Long.fromNumber(person.id).equals(id)) throw bad("AUTH_BYTES_INVALID");
    Object.assign(key, { userId: person.id, isImported: true, endedBy: undefined });
    world.note("imported", { key });
    world.changed();
    return { _: "auth.authorization", user: renderUser(world, person, person) };
  },
} satisfies Methods;

/** The account that has proved everything but the password, or is logged in. */
export function pendingPerson({ world, key, loggedIn }: Call): Person | undefined {
  const { pendingUserId } = key;
  return pendingUserId === undefined ? loggedIn : world.state.people.get(pendingUserId);
}

/** An application as issued by my.telegram.org: a number, and 32 hexadecimal digits. Any such pair is accepted. */
export function checkApi(apiId: number, apiHash: string): void {
  if (apiId <= 0 || apiHash === "") throw bad("API_ID_INVALID");
}

function needNumber({ world }: Call, phoneNumber: string): Person {
  if (!/^\+?[\d\s-]{5,24}$/.test(phoneNumber)) throw bad("PHONE_NUMBER_INVALID");
  const person = findByPhone(world, phoneNumber);
  if (!person) throw bad("PHONE_NUMBER_UNOCCUPIED");
  if (person.status === "banned") throw bad("PHONE_NUMBER_BANNED");
  return person;
}

function makeCode({ world, key }: Call, { phone }: Person): CodeLogin {
  const login: CodeLogin = {
    phone,
    hash: randomBytes(9).toString("hex"),
    code: String(randomBytes(4).readUInt32LE() % 10 ** codeLength).padStart(codeLength, "0"),
    keyId: key.id,
    expires: world.clock.now() + world.settings.codeSeconds,
  };
  world.codeLogins.set(login.hash, login);
  world.note("code_sent", { key, detail: phone });
  return login;
}

function needCode(
  { world, key }: Call,
  { phoneNumber, phoneCodeHash }: { readonly phoneNumber: string; readonly phoneCodeHash: string },
): CodeLogin {
  const login = world.codeLogins.get(phoneCodeHash);
  const isTheirs = login?.keyId === key.id && login.phone === phoneNumber.replaceAll(/\D/g, "");
  if (!isTheirs || login.expires <= world.clock.now()) throw bad("PHONE_CODE_EXPIRED");
  return login;
}
