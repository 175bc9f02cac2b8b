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
 * The primitives of MTProto, from Node's crypto. Node lacks AES-IGE; built from single blocks it processes 14 MB/s,
 * in WebAssembly 84 (docs/decisions/0021).
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

  /** Null if the result would be longer than `maxSize`. */
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

/** No response of Telegram is larger; a larger one is a decompression bomb. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** Shared by all sessions of a process, because it has no state. */
export const crypto: ICryptoProvider = new NodeCrypto();
