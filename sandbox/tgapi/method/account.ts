import { randomBytes } from "node:crypto";
import type { tl } from "@mtcute/core";
import { challenge, srpParameters } from "../crypto/srp.ts";
import { defined } from "../defined.ts";
import { type AuthKey, randomLong } from "../mtproto/auth-key.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import type { Person } from "../world/person.ts";
import { pendingPerson } from "./auth.ts";
import { endLogin } from "./login.ts";

export const accountMethods = {
  "account.getPassword"(_, call) {
    const person = pendingPerson(call);
    return password(person);
  },

  "account.updateStatus": () => true,

  "account.getAuthorizations"(_, call) {
    const keys = [...call.world.keys.values()].filter(
      ({ userId, isImported }) => userId === call.person.id && !isImported,
    );
    return {
      _: "account.authorizations",
      authorizationTtlDays: 180,
      authorizations: keys.map((each) => describe(call, each)),
    };
  },

  "account.resetAuthorization"({ hash }, { world, key, person }) {
    const found = [...world.keys.values()].find(
      (each) => each.hash.equals(hash) && each.userId === person.id,
    );
    if (!found || found === key) throw bad("HASH_INVALID");
    endLogin(world, found, "SESSION_REVOKED");
    return true;
  },
} satisfies Methods;

function password(person: Person | undefined): tl.account.RawPassword {
  const base = {
    _: "account.password",
    newAlgo: { _: "passwordKdfAlgoUnknown" },
    newSecureAlgo: { _: "securePasswordKdfAlgoUnknown" },
    secureRandom: randomBytes(32),
  } as const;
  const stored = person?.password;
  if (!stored) return base;
  const attempt = challenge(stored);
  const srpId = randomLong();
  person.challenges.set(srpId.toString(), attempt);
  return {
    ...base,
    hasPassword: true,
    currentAlgo: {
      _: "passwordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow",
      salt1: stored.salt1,
      salt2: stored.salt2,
      ...srpParameters,
    },
    srpB: attempt.B,
    srpId,
    ...defined({ hint: stored.hint }),
  };
}

function describe({ key }: Call, each: AuthKey): tl.RawAuthorization {
  return {
    _: "authorization",
    current: each === key,
    hash: each === key ? each.hash.sub(each.hash) : each.hash,
    deviceModel: each.app?.deviceModel ?? "",
    platform: "",
    systemVersion: each.app?.systemVersion ?? "",
    apiId: each.app?.apiId ?? 0,
    appName: "Trunkline",
    appVersion: each.app?.appVersion ?? "",
    dateCreated: each.createdAt,
    dateActive: each.activeAt,
    ip: "127.0.0.1",
    country: "",
    region: "",
  };
}
