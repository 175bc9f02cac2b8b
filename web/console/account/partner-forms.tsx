import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Field } from "../../kit/field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Facts } from "../parts.tsx";
import { Secret } from "../secret.tsx";
import { ask, useAct } from "../state.ts";
import { commonWords as common, partnersWords as words } from "../texts/texts.ts";

interface Closing {
  readonly onClose: () => void;
}

/** Creates a partner, then shows its password and client id. */
export function PartnerForm({ onClose }: Closing) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [made, setMade] = useState<Operations["createPartner"]["output"]>();
  if (made !== undefined)
    return (
      <div class="grid gap-4">
        <Secret label={words.value.password} text={made.password} />
        <Facts facts={[[words.value.clientId, <code key="client">{made.clientId}</code>]]} />
        <Button look="primary" onPress={onClose}>
          {common.value.done}
        </Button>
      </div>
    );
  const create = async () => {
    const called = name.trim() === "" ? {} : { name: name.trim() };
    setMade(await ask("createPartner", { body: { email, ...called } }));
  };
  return (
    <Form action={words.value.create} onSubmit={create} onClose={onClose}>
      <Field label={words.value.email} name="email" value={email} onInput={setEmail} />
      <Field label={words.value.partnerName} name="name" value={name} required={false} onInput={setName} />
    </Form>
  );
}

/** Registers an OAuth client that requests people's consent. */
export function ClientForm({ partnerId, onClose }: Closing & { readonly partnerId: number }) {
  const [name, setName] = useState("");
  const [addresses, setAddresses] = useState("");
  const register = async () => {
    const redirectUris = addresses.split(/[\s,]+/).filter((each) => each !== "");
    await ask("registerPartnerClient", {
      path: { partner: String(partnerId) },
      body: { name, redirectUris },
    });
    onClose();
  };
  return (
    <Form action={words.value.newClient} onSubmit={register} onClose={onClose}>
      <Field label={words.value.clientName} name="name" value={name} onInput={setName} />
      <Field
        label={words.value.redirects}
        hint={words.value.redirectsHint}
        name="redirects"
        value={addresses}
        onInput={setAddresses}
      />
    </Form>
  );
}

interface FormProps extends Closing {
  readonly action: string;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

function Form({ action, onSubmit, onClose, children }: FormProps) {
  const { busy, problem, run } = useAct();
  return (
    <form
      class="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        run(onSubmit);
      }}
    >
      {children}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div class="flex flex-wrap justify-end gap-2">
        <Button onPress={onClose}>{common.value.cancel}</Button>
        <Button type="submit" look="primary" busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
