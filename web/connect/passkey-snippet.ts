/** What the snippet shows on the messenger's site. */
export interface SnippetTexts {
  readonly press: string;
  readonly elsewhere: string;
  readonly unused: string;
  readonly tooOld: string;
}

/**
 * A program for the console of the messenger's site: asks for the passkey, and shows the answer to copy. It creates
 * elements only, since the site's policy forbids HTML and inline styles as text.
 */
export function snippetOf(site: string, request: object, texts: SnippetTexts): string {
  const { press, elsewhere, unused, tooOld } = texts;
  return `(async (site, request, texts) => {
  const box = document.createElement("dialog");
  const show = (...parts) => { box.append(...parts); document.body.append(box); box.showModal(); };
  box.style.font = "16px sans-serif";
  if (location.origin !== site) return show(texts.elsewhere);
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) return show(texts.tooOld);
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(request);
    const credential = await navigator.credentials.get({ publicKey });
    const answer = document.createElement("textarea");
    answer.value = JSON.stringify(credential.toJSON());
    answer.readOnly = true;
    answer.rows = 8;
    answer.style.cssText = "display:block;width:30em;max-width:100%;margin-top:1em";
    show(texts.press, answer);
    answer.select();
  } catch (error) {
    show(error.name === "NotAllowedError" ? texts.unused : String(error));
  }
})(${JSON.stringify(new URL(site).origin)}, ${JSON.stringify(request)}, ${JSON.stringify({ press, elsewhere, unused, tooOld })})`;
}
