import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  pbkdf2,
  randomFillSync,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { deflateSync, unzipSync } from "node:zlib";
import {
  BaseCryptoProvider,
  type IAesCtr,
  type ICryptoProvider,
  type IEncryptionScheme,
} from "@mtcute/core/utils.js";
import { ige256Decrypt, ige256Encrypt, initSync } from "@mtcute/wasm";

const derive = promisify(pbkdf2);
let isLoaded = false;

/**
 * What MTProto needs, by Node's own cryptography. AES-IGE is missing there; built from single blocks it works through
 * 14 MB a second, in WebAssembly through 84 (docs/decisions/0021).
 */
class NodeCrypto extends BaseCryptoProvider implements ICryptoProvider {
  initialize(): void {
    if (isLoaded) return;
    initSync(readFileSync(createRequire(import.meta.url).resolve("@mtcute/wasm/mtcute.wasm")));
    isLoaded = true;
  }

  sha1(data: Uint8Array): Uint8Array {
    return createHash("sha1").update(data).digest();
  }

  sha256(data: Uint8Array): Uint8Array {
    return createHash("sha256").update(data).digest();
  }

  hmacSha256(data: Uint8Array, key: Uint8Array): Uint8Array {
    return createHmac("sha256", key).update(data).digest();
  }

  pbkdf2(
    password: Uint8Array,
    salt: Uint8Array,
    iterations: number,
    length = 64,
    algorithm = "sha512",
  ): Promise<Uint8Array> {
    return derive(password, salt, iterations, length, algorithm);
  }

  createAesCtr(key: Uint8Array, iv: Uint8Array, isEncrypting: boolean): IAesCtr {
    const cipher = (isEncrypting ? createCipheriv : createDecipheriv)(`aes-${key.length * 8}-ctr`, key, iv);
    return { process: (data) => cipher.update(data) };
  }

  createAesIge(key: Uint8Array, iv: Uint8Array): IEncryptionScheme {
    return {
      encrypt: (data) => ige256Encrypt(data, key, iv),
      decrypt: (data) => ige256Decrypt(data, key, iv),
    };
  }

  /** Null where the result would be longer than `maxSize`. */
  gzip(data: Uint8Array, maxSize: number): Uint8Array | null {
    const packed = deflateSync(data);
    return packed.length <= maxSize ? packed : null;
  }

  gunzip(data: Uint8Array): Uint8Array {
    return unzipSync(data, { maxOutputLength: MAX_UNPACKED_BYTES });
  }

  randomFill(bytes: Uint8Array): void {
    randomFillSync(bytes);
  }
}

/** No answer of Telegram is longer; what unpacks to more is an attack. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** One for all sessions of a process: it has no state. */
export const crypto: ICryptoProvider = new NodeCrypto();
