import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Card, type Column, Confirm, Load, Table, Time } from "../parts.tsx";
import { Secret } from "../secret.tsx";
import { ask, useLoad } from "../state.ts";
import { commonWords as common, partnersWords as words } from "../texts/texts.ts";
import { ClientForm, PartnerForm } from "./partner-forms.tsx";

type Partner = Operations["listPartners"]["output"][number];
type Action = "create" | "client" | "password";

/** For operators: partners with their OAuth clients. */
export function Partners() {
  const partners = useLoad("listPartners", {});
  const [action, setAction] = useState<Action>();
  const [chosen, setChosen] = useState<Partner>();
  const [password, setPassword] = useState<string>();
  const begin = (next: Action, partner?: Partner) => {
    setChosen(partner);
    setPassword(undefined);
    setAction(next);
  };
  const close = () => {
    setAction(undefined);
    partners.reload();
  };
  return (
    <Card
      title={words.value.partners}
      actions={<Button onPress={() => begin("create")}>{words.value.create}</Button>}
    >
      {password !== undefined && (
        <div class="p-4">
          <Secret label={`${words.value.password}: ${chosen?.email ?? ""}`} text={password} />
        </div>
      )}
      <Load from={partners} empty={words.value.empty}>
        {(rows) => (
          <Table
            label={words.value.partners}
            columns={columnsWith(begin)}
            rows={rows}
            keyOf={({ id }) => String(id)}
          />
        )}
      </Load>
      <Dialog title={words.value.create} open={action === "create"} onClose={close}>
        <PartnerForm onClose={close} />
      </Dialog>
      <Dialog
        title={`${words.value.newClient}: ${chosen?.name ?? ""}`}
        open={action === "client"}
        onClose={close}
      >
        {chosen !== undefined && <ClientForm partnerId={chosen.id} onClose={close} />}
      </Dialog>
      <Confirm
        title={`${words.value.newPassword}: ${chosen?.email ?? ""}`}
        text={words.value.passwordText}
        action={words.value.newPassword}
        open={action === "password"}
        onClose={() => setAction(undefined)}
        onConfirm={async () => {
          const made = await ask("resetPartnerPassword", { path: { partner: String(chosen?.id) } });
          setPassword(made.password);
        }}
      />
    </Card>
  );
}

function columnsWith(begin: (action: Action, partner: Partner) => void): Column<Partner>[] {
  return [
    {
      title: words.value.email,
      cell: (row) => (
        <>
          <span class="block font-semibold break-words">{row.email}</span>
          {row.name !== row.email && <span class="text-dim">{row.name}</span>}
        </>
      ),
    },
    { title: common.value.accounts, cell: (row) => row.accounts },
    { title: words.value.created, cell: (row) => <Time at={row.createdAt} /> },
    { title: words.value.clients, cell: (row) => <Clients of={row} /> },
    {
      title: common.value.actions,
      cell: (row) => (
        <span class="flex flex-wrap gap-2">
          <Button onPress={() => begin("client", row)}>{words.value.newClient}</Button>
          <Button onPress={() => begin("password", row)}>{words.value.newPassword}</Button>
        </span>
      ),
    },
  ];
}

function Clients({ of: { clients } }: { readonly of: Partner }) {
  return (
    <ul class="grid gap-2">
      {clients.map(({ id, name, redirectUris }) => (
        <li key={id} class="[overflow-wrap:anywhere]">
          {name} <code class="font-mono text-xs">{id}</code>
          <span class="block text-dim">{redirectUris.join(" ") || words.value.refreshOnly}</span>
        </li>
      ))}
    </ul>
  );
}
