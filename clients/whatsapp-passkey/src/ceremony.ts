/**
 * Runs in a page of WhatsApp's site, separate from the page's own scripts: asks for the passkey and reports the answer.
 * The browser passes this function as text, so it must not refer to anything outside itself.
 */
export async function runCeremony(request: object): Promise<void> {
  interface Api {
    readonly parseRequestOptionsFromJSON?: (json: object) => PublicKeyCredentialRequestOptions;
  }
  interface Answer {
    readonly rawId: string;
    readonly type: string;
    readonly response: object;
  }
  const report = (result: object) => chrome.runtime.sendMessage({ kind: "result", ...result });
  const api = globalThis.PublicKeyCredential as Api | undefined;
  try {
    const publicKey = api?.parseRequestOptionsFromJSON?.(request);
    if (publicKey === undefined) return void (await report({ reason: "unsupported" }));
    const credential = await navigator.credentials.get({ publicKey });
    // Only what WhatsApp needs: not the results of extensions, which may contain secrets of the passkey.
    const { rawId, type, response } = (credential as unknown as { toJSON(): Answer }).toJSON();
    await report({ answer: { id: rawId, rawId, type, response } });
  } catch (error) {
    const isRefused = error instanceof DOMException && error.name === "NotAllowedError";
    await report({ reason: isRefused ? "cancelled" : "failed" });
  }
}
