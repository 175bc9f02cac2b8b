import { NoConnection, Refusal } from "../../kit/api/client.ts";
import { FileLost } from "./file-lost.ts";

export interface Uploaded {
  readonly file_id: string;
}

interface UploadOptions {
  readonly token: string;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Uploads a file for a message. Not a `call`, because `fetch` reports no upload progress. Throws `NoConnection`,
 * `Refusal` and `FileLost`.
 */
export function upload(file: File, { token, signal, onProgress }: UploadOptions): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `./api/files?${new URLSearchParams({ name: file.name })}`);
    request.setRequestHeader("authorization", `Bearer ${token}`);
    request.setRequestHeader("content-type", file.type || "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const body: unknown = request.response;
      if (request.status < 300 && isUploaded(body)) resolve(body);
      else reject(new Refusal(answerOf(request), refusalOf(body)));
    };
    request.onerror = () => void failureOf(file).then(reject);
    request.onabort = () => reject(signal.reason);
    const stop = (): void => request.abort();
    request.onloadend = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop, { once: true });
    request.send(file);
  });
}

function answerOf(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader("retry-after");
  const headers = retryAfter === null ? {} : { "retry-after": retryAfter };
  return new Response(null, { status: request.status, headers });
}

/** The browser reports a file that it cannot read as it does a lost connection. */
async function failureOf(file: File): Promise<Error> {
  const isReadable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  return isReadable ? new NoConnection("The service cannot be reached") : new FileLost(file.name);
}

function isUploaded(body: unknown): body is Uploaded {
  return typeof body === "object" && body !== null && "file_id" in body && typeof body.file_id === "string";
}

function refusalOf(body: unknown): object {
  return typeof body === "object" && body !== null ? body : {};
}
