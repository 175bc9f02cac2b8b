import { createDiffieHellman } from "node:crypto";
import type { mtp, tl } from "@mtcute/core";
import { computeSrpParams } from "@mtcute/core/utils.js";
import { NodeCryptoProvider } from "@mtcute/node/utils.js";
import Long from "long";
import { expect, test } from "vitest";
import { temporaryKey } from "../mtproto/handshake.ts";
import { TlReader } from "../tl/reader.ts";
import { currentSchema } from "../tl/schema.ts";
import { modPow, toBig, toBytes } from "./big.ts";
import { dhGenerator, dhPrime, groupBytes } from "./group.ts";
import { sha1 } from "./hash.ts";
import { decryptIge, encryptIge } from "./ige.ts";
import { challenge, provesPassword, srpParameters, storePassword } from "./srp.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

/** The example of core.telegram.org/mtproto/samples-auth_key. */
const sample = {
  serverNonce: hex("A5CF4D33F4A11EA877BA4AA573907330"),
  newNonce: hex("311C85DB234AA2640AFC4A76A735CF5B1F0FD68BD17FA181E1229AD867CC024D"),
  key: hex("F011280887C7BB01DF0FC4E17830E0B91FBB8BE4B2267CB985AE25F33B527253"),
  iv: hex("3212D579EE35452ED23E0D0C92841AA7D31B2E9BDEF2151E80D15860311C85DB"),
  encryptedAnswer:
    hex(`28A92FE20173B347A8BB324B5FAB2667C9A8BBCE6468D5B509A4CBDDC186240AC912CF7006AF8926DE606A2E74C0
    493CAA57741E6C82451F54D3E068F5CCC49B4444124B9666FFB405AAB564A3D01E67F6E912867C8D20D9882707DC330B17B4E0DD57CB53
    BFAAFA9EF5BE76AE6C1B9B6C51E2D6502A47C883095C46C81E3BE25F62427B585488BB3BF239213BF48EB8FE34C9A026CC8413934043974
    DB03556633038392CECB51F94824E140B98637730A4BE79A8F9DAFA39BAE81E1095849EA4C83467C92A3A17D997817C8A7AC61C3FF414DA
    37B7D66E949C0AEC858F048224210FCC61F11C3A910B431CCBD104CCCC8DC6D29D4A5D133BE639A4C32BBFF153E63ACA3AC52F2E4709B8A
    E01844B142C1EE89D075D64F69A399FEB04E656FE3675A6F8F412078F3D0B58DA15311C1A9F8E53B3CD6BB5572C294904B726D0BE337E2E
    21977DA26DD6E33270251C2CA29DFCC70227F0755F84CFDA9AC4B8DD5F84F1D1EB36BA45CDDC70444D8C213E4BD8F63B8AB95A2D0B4180D
    C91283DC063ACFB92D6A4E407CDE7C8C69689F77A007441D4A6A8384B666502D9B77FC68B5B43CC607E60A146223E110FCB43BC3C942EF9
    81930CDC4A1D310C0B64D5E55D308D863251AB90502C3E46CC599E886A927CDA963B9EB16CE62603B68529EE98F9F5206419E03FB458EC4
    BD9454AA8F6BA777573CC54B328895B1DF25EAD9FB4CD5198EE022B2B81F388D281D5E5BC580107CA01A50665C32B552715F335FD76264F
    AD00DDD5AE45B94832AC79CE7C511D194BC42B70EFA850BB15C2012C5215CABFE97CE66B8D8734D0EE759A638AF013`),
  b: hex(`6F620AFA575C9233EB4C014110A7BCAF49464F798A18A0981FEA1E05E8DA67D9681E0FD6DF0EDF0272AE3492451A84502F2EFC0DA187
    41A5FB80BD82296919A70FAA6D07CBBBCA2037EA7D3E327B61D585ED3373EE0553A91CBD29B01FA9A89D479CA53D57BDE3A76FBD922A923
    A0A38B922C1D0701F53FF52D7EA9217080163A64901E766EB6A0F20BC391B64B9D1DD2CD13A7D0C946A3A7DF8CEC9E2236446F646C42CFE
    2B60A2A8D776E56C8D7519B08B88ED0970E10D12A8C9E355D765F2B7BBB7B4CA9360083435523CB0D57D2B106FD14F94B4EEE79D8AC131C
    A56AD389C84FE279716F8124A543337FB9EA3D988EC5FA63D90A4BA3970E7A39E5C0DE5`),
  authKey:
    hex(`AB96E207C631300986F30EF97DF55E179E63C112675F0CE502EE76D74BBEE6CBD1E95772818881E9F2FF54BD52C258787474F6
    A7BEA61EABE49D1D01D55F64FC07BC31685716EC8FB46FEACF9502E42CFD6B9F45A08E90AA5C2B5933AC767CBE1CD50D8E64F89727CA4A1
    A5D32C0DB80A9FCDBDDD4F8D5A1E774198F1A4299F927C484FEEC395F29647E43C3243986F93609E23538C21871DF50E00070B3B6A8FA9BC
    15628E8B43FF977409A61CEEC5A21CF7DFB5A4CC28F5257BC30CD8F2FB92FBF21E28924065F50E0BBD5E11A420300E2C136B80E9826C6C5
    609B5371B7850AA628323B6422F3A94F6DFDE4C3DC1EA60F7E11EE63122B3F39CBD1A8430157`),
};

test("AES-256-IGE gives the published results", () => {
  const key = {
    key: hex("5468697320697320616E20696D706C655468697320697320616E20696D706C65"),
    iv: hex("6D656E746174696F6E206F6620494745206D6F646520666F72204F70656E5353"),
  };
  const plain = hex("99706487A1CDE613BC6DE0B6F24B1C7AA448C8B9C3403E3467A8CAD89340F53B");
  const sealed = hex("792EA8AE577B1A66CB3BD92679B8030CA54EE631976BD3A04547FDCB4639FA69");
  expect(encryptIge(plain, key)).toEqual(sealed);
  expect(decryptIge(sealed, key)).toEqual(plain);
});

test("the published example of a key exchange is decrypted, and gives its key", () => {
  const key = temporaryKey(sample);
  expect(key).toEqual({ key: sample.key, iv: sample.iv });
  const open = decryptIge(sample.encryptedAnswer, key);
  const reader = new TlReader(currentSchema, open, 20);
  const inner = reader.object("Server_DH_inner_data") as mtp.RawMt_server_DH_inner_data;
  expect(sha1(open.subarray(20, reader.position))).toEqual(open.subarray(0, 20));
  expect(toBig(inner.dhPrime)).toBe(dhPrime);
  expect(toBytes(modPow(toBig(inner.gA), toBig(sample.b), dhPrime), groupBytes)).toEqual(sample.authKey);
  expect(encryptIge(open, key)).toEqual(sample.encryptedAnswer);
});

test("modular powers equal those of OpenSSL", () => {
  const group = createDiffieHellman(toBytes(dhPrime, groupBytes), toBytes(dhGenerator));
  group.setPrivateKey(sample.b);
  group.generateKeys();
  expect(toBytes(modPow(dhGenerator, toBig(sample.b), dhPrime))).toEqual(group.getPublicKey());
});

test("a password is proved only by the value that mtcute computes", async () => {
  const crypto = new NodeCryptoProvider();
  await crypto.initialize?.();
  const stored = storePassword("right", "hint");
  const attempt = challenge(stored);
  const asked: tl.account.RawPassword = {
    _: "account.password",
    hasPassword: true,
    currentAlgo: {
      _: "passwordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow",
      salt1: stored.salt1,
      salt2: stored.salt2,
      ...srpParameters,
    },
    srpB: attempt.B,
    srpId: Long.ONE,
    newAlgo: { _: "passwordKdfAlgoUnknown" },
    newSecureAlgo: { _: "securePasswordKdfAlgoUnknown" },
    secureRandom: Buffer.alloc(0),
  };
  const prove = async (password: string) => {
    const proof = await computeSrpParams(crypto, asked, password);
    return proof._ === "inputCheckPasswordSRP" && provesPassword(stored, attempt, proof);
  };
  expect(await prove("right")).toBe(true);
  expect(await prove("Right")).toBe(false);
  expect(provesPassword(stored, attempt, { A: toBytes(dhPrime, groupBytes), M1: Buffer.alloc(32) })).toBe(
    false,
  );
});
