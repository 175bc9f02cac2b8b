import type { OauthScope } from "../../../core/account/oauth-scope.ts";
import { type Html, html } from "../../../platform/foreign/html.ts";
import { page } from "../../pages/page.ts";
import type { AuthorizeRequest } from "./authorize-request.ts";

const MEANING: Readonly<Record<OauthScope, string>> = {
  transport:
    "connect and remove channels, read, send, change and delete messages, manage templates, and have all messages, statuses, channels and templates of the account sent to addresses of its own",
  crm: "read, change and delete the users, contacts, deals and pipelines of the CRM, and have new clients (name, phone, username) sent to an address of its own to create contacts and deals for them",
};

/** Asks the person to sign in to their account. */
export function signInPage(
  request: AuthorizeRequest,
  form: { token: string; problem: string | null },
): string {
  const { problem, token } = form;
  const notice = html`<p id="problem" role="alert">${problem ?? ""}</p>`;
  const described = problem === null ? "key-hint" : "problem key-hint";
  return page(
    "Sign in to your account",
    html`${whoAsks(request)}
${problem === null ? html`` : notice}
<form method="post">
<input type="hidden" name="form_token" value="${token}">
<label for="key">API key or access token of your account</label>
<input id="key" name="key" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="512" aria-describedby="${described}"${problem === null ? html`` : html` aria-invalid="true" autofocus`}>
<p class="hint" id="key-hint">Whoever runs this service gave it to you. The application does not get to see it.</p>
<button class="main" name="action" value="sign-in">Continue</button>
<button name="action" value="deny">Cancel</button>
</form>`,
  );
}

/** Asks for the consent. */
export function consentPage(
  request: AuthorizeRequest,
  form: { readonly token: string; readonly accountId: number; readonly accountName: string },
): string {
  const { token, accountId, accountName } = form;
  return page(
    `Allow ${request.client.name} to use your account?`,
    html`${whoAsks(request)}
<p>You are signed in to the account <strong>${accountName}</strong> (${String(accountId)}).</p>
<form method="post">
<input type="hidden" name="form_token" value="${token}">
<p>If you allow it, the application can, until you revoke it:</p>
<ul>
${request.scope.map((scope) => html`<li>${MEANING[scope]}</li>`)}
</ul>
<p>When you end its access, nothing more is sent to its addresses.</p>
<button class="main" name="action" value="allow">Allow</button>
<button name="action" value="deny">Do not allow</button>
<p><button class="link" name="action" value="sign-out">Use another account</button></p>
</form>`,
  );
}

function whoAsks({ client, redirectUri }: AuthorizeRequest): Html {
  return html`<p>The application <strong>${client.name}</strong> of <strong>${client.partnerName}</strong> asks for access to your account. Afterwards you return to <strong>${new URL(redirectUri).host}</strong>.</p>`;
}

/** An error for a person who cannot be redirected. */
export function problemPage(problem: string): string {
  return page(
    "This link does not work",
    html`<p role="alert">${problem}</p>
<p>No access was granted. Go back to the application and try again, or contact its developers.</p>`,
  );
}
