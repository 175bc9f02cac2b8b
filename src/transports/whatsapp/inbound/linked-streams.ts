import { Readable, type Writable } from "node:stream";

/**
 * Patches the streams that baileys 7.0.0-rc14 makes of HTTP responses. It pipes a response into its decryption with
 * `pipe` (`downloadEncryptedContent`), for files and for the history of a new link. `pipe` does not pass errors on, so
 * a download that breaks off is an uncaught exception, which ends the process with all its sessions; and a destroyed
 * download leaves the response open. Here, the end of either stream ends the other.
 *
 * `Readable` is shared by the process, but nothing else in a worker pipes such streams. Must run before the library
 * downloads anything; see `library.ts`.
 */
const { fromWeb } = Readable;
Readable.fromWeb = (...args) => {
  const source = fromWeb.apply(Readable, args);
  const { pipe } = source;
  source.pipe = (destination, options) => {
    // The reader of the destination gets the error.
    source.once("error", (error) => (destination as unknown as Writable).destroy(error));
    destination.once("close", () => source.destroy());
    return pipe.call(source, destination, options) as typeof destination;
  };
  return source;
};
