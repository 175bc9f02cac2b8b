import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Badge, Notice } from "../../kit/notice.tsx";
import { AccountName, Card, type Column, Confirm, Load, Select, Table, Time } from "../parts.tsx";
import { Secret } from "../secret.tsx";
import { accounts, ask, session, useAct, useLoad } from "../state.ts";
import { commonWords as common, peopleWords as words } from "../texts/texts.ts";

type Person = Operations["listOperators"]["output"][number];
type Role = Person["role"];

/** For operators: the logins of the console. */
export function People() {
  const people = useLoad("listOperators", {});
  const [invites, setInvites] = useState(false);
  const [removes, setRemoves] = useState<Person>();
  const [link, setLink] = useState<string>();
  const { busy, problem, run } = useAct();
  const own = session.value?.operator.id;
  const columns: Column<Person>[] = [
    {
      title: common.value.name,
      cell: (row) => (
        <span class="flex flex-wrap gap-2">
          {row.login}
          {row.id === own && <Badge tone="neutral">{words.value.you}</Badge>}
          {row.isFromProvider && <Badge tone="neutral">{words.value.provider}</Badge>}
        </span>
      ),
    },
    { title: words.value.role, class: "whitespace-nowrap", cell: (row) => row.role },
    {
      title: common.value.account,
      cell: (row) => (row.accountId === null ? words.value.all : <AccountName id={row.accountId} />),
    },
    {
      title: words.value.second,
      cell: (row) => (
        <Badge tone={row.hasSecondFactor ? "ok" : "neutral"}>
          {row.hasSecondFactor ? words.value.yes : words.value.no}
        </Badge>
      ),
    },
    { title: words.value.signedIn, cell: (row) => <Time at={row.signedInAt} /> },
    {
      title: common.value.actions,
      cell: (row) =>
        row.id !== own && (
          <span class="flex flex-wrap gap-2">
            {!row.isFromProvider && (
              <Button
                busy={busy}
                onPress={() =>
                  run(async () => setLink((await ask("resetOperator", { path: { id: row.id } })).link))
                }
              >
                {words.value.reset}
              </Button>
            )}
            <Button onPress={() => setRemoves(row)}>{words.value.remove}</Button>
          </span>
        ),
    },
  ];
  return (
    <Card
      title={words.value.people}
      actions={<Button onPress={() => setInvites(true)}>{words.value.invite}</Button>}
    >
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Load from={people} rows={2}>
        {(rows) => <Table label={words.value.people} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      </Load>
      <Dialog title={words.value.invite} open={invites} onClose={() => setInvites(false)}>
        <InviteForm onClose={() => setInvites(false)} />
      </Dialog>
      <Dialog title={words.value.reset} open={link !== undefined} onClose={() => setLink(undefined)}>
        <div class="grid gap-4">
          <p>{words.value.resetText}</p>
          <Secret label={words.value.link} text={link ?? ""} />
        </div>
      </Dialog>
      <Confirm
        title={`${words.value.remove}: ${removes?.login ?? ""}`}
        text={removes?.isFromProvider === true ? words.value.removeProvider : words.value.removeText}
        action={words.value.remove}
        open={removes !== undefined}
        onClose={() => setRemoves(undefined)}
        onConfirm={async () => {
          await ask("removeOperator", { path: { id: removes?.id ?? "" } });
          people.reload();
        }}
      />
    </Card>
  );
}

function InviteForm({ onClose }: { readonly onClose: () => void }) {
  const [role, setRole] = useState<Role>("viewer");
  const [account, setAccount] = useState("");
  const [link, setLink] = useState<string>();
  const { busy, problem, run } = useAct();
  const first = String(accounts.value[0]?.id ?? "");
  const chosen = role === "admin" && account === "" ? first : account;
  const make = () =>
    run(async () => {
      const accountId = role === "operator" || chosen === "" ? null : Number(chosen);
      setLink((await ask("inviteOperator", { body: { role, accountId } })).link);
    });
  if (link !== undefined) return <Secret label={words.value.link} text={link} />;
  return (
    <div class="grid gap-4">
      <Select
        label={words.value.role}
        value={role}
        onChange={(value) => setRole(value as Role)}
        options={(["viewer", "admin", "operator"] as const).map((each) => [each, words.value[each]])}
      />
      {role !== "operator" && (
        <Select
          label={common.value.account}
          value={chosen}
          onChange={setAccount}
          options={[
            ...(role === "viewer" ? [["", words.value.all] as const] : []),
            ...accounts.value.map(({ id, name }) => [String(id), `${name} · ${id}`] as const),
          ]}
        />
      )}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div class="flex justify-end gap-2">
        <Button onPress={onClose}>{common.value.cancel}</Button>
        <Button look="primary" busy={busy} onPress={make}>
          {words.value.makeLink}
        </Button>
      </div>
    </div>
  );
}
