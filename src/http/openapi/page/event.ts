import { type Html, html } from "../../../platform/foreign/html.ts";
import type { Webhook } from "../webhooks.ts";
import { fieldList } from "./fields.ts";
import { answerFigure } from "./figure.ts";
import { paragraphs } from "./prose.ts";
import { json } from "./request.ts";

/** One kind of event: when it is sent, and its content. */
export function eventSection([kind, { post }]: readonly [string, Webhook]): Html {
  const { operationId, description, requestBody, responses } = post;
  const [[status, { description: answer }] = ["", { description: "" }]] = Object.entries(responses);
  const { schema, example } = requestBody.content["application/json"];
  return html`<section class="operation" id="${operationId}"><div class="text">
<h2><a class="anchor" href="#${operationId}"><code>${kind}</code></a></h2>
${paragraphs(description)}
<h3>Body</h3>${fieldList(schema)}
<h3>Your answer ${status}</h3><p>${answer}</p>
</div><div class="examples">${answerFigure("Body", json(example))}</div></section>`;
}
