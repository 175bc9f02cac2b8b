import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { Badge, Notice } from "../../kit/notice.tsx";
import { Card, type Column, Confirm, Empty, Load, Search, Select, Table, Time, View } from "../parts.tsx";
import { Secret } from "../secret.tsx";
import {
  type Account,
  accounts,
  ask,
  chooseAccount,
  hrefTo,
  isOperator,
  loadAccounts,
  mayAct,
  useAct,
  useLoad,
} from "../state.ts";
import { commonWords as common, accountsWords as words } from "../texts/texts.ts";
import { Partners } from "./partners.tsx";

type Token = Operations["listTokens"]["output"][number];

export function AccountsView() {
  const [creates, setCreates] = useState(false);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const rows = accounts.value.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted));
  const columns: Column<Account>[] = [
    {
      title: common.value.name,
      cell: (row) => (
        <a href={hrefTo(["accounts", String(row.id)])} class="inline-block leading-6 font-semibold">
          {row.name || row.id}
        </a>
      ),
    },
    { title: common.value.id, cell: (row) => row.id },
    { title: words.value.created, cell: (row) => <Time at={row.createdAt} /> },
    { title: words.value.sites, cell: (row) => sitesOf(row) },
  ];
  return (
    <View
      title={common.value.accounts}
      actions={
        isOperator.value && (
          <Button look="primary" onPress={() => setCreates(true)}>
            {words.value.create}
          </Button>
        )
      }
    >
      {accounts.value.length > 1 && (
        <div class="flex">
          <Search label={words.value.searchBy} value={search} onSearch={setSearch} />
        </div>
      )}
      <Card title={common.value.accounts}>
        {rows.length === 0 ? (
          <Empty>{words.value.noneFound}</Empty>
        ) : (
          <Table label={common.value.accounts} columns={columns} rows={rows} keyOf={({ id }) => String(id)} />
        )}
      </Card>
      {isOperator.value && <Partners />}
      <Dialog title={words.value.create} open={creates} onClose={() => setCreates(false)}>
        <CreateForm onClose={() => setCreates(false)} />
      </Dialog>
    </View>
  );
}

function sitesOf({ frameOrigins }: Account): string {
  if (frameOrigins === null) return words.value.anySite;
  return frameOrigins.join(" ") || words.value.noSite;
}

function CreateForm({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [made, setMade] = useState<Operations["createConsoleAccount"]["output"]>();
  const { busy, problem, run } = useAct();
  if (made !== undefined)
    return (
      <div class="grid gap-4">
        <Secret label={words.value.accessToken} text={made.accessToken} />
        <Secret label={words.value.apiKey} text={made.apiKey} />
        <Button look="primary" onPress={onClose}>
          {common.value.done}
        </Button>
      </div>
    );
  return (
    <form
      class="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => {
          setMade(await ask("createConsoleAccount", { body: { name } }));
          await loadAccounts();
        });
      }}
    >
      <Field
        label={common.value.name}
        hint={words.value.createHint}
        name="name"
        value={name}
        onInput={setName}
      />
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div class="flex justify-end gap-2">
        <Button onPress={onClose}>{common.value.cancel}</Button>
        <Button look="primary" type="submit" busy={busy}>
          {words.value.create}
        </Button>
      </div>
    </form>
  );
}

export function AccountView({ accountId }: { readonly accountId: string }) {
  const found = accounts.value.find(({ id }) => String(id) === accountId);
  return (
    <View
      title={found?.name || accountId}
      detail={found?.name ? `${common.value.id} ${accountId}` : ""}
      back={{ href: hrefTo(["accounts"]), text: common.value.accounts }}
      actions={
        <a
          href={hrefTo(["channels"])}
          class="inline-flex min-h-10 items-center"
          onClick={() => chooseAccount(accountId)}
        >
          {words.value.see}
        </a>
      }
    >
      <Tokens accountId={accountId} />
      {found !== undefined && mayAct.value && <Frames account={found} />}
      <Employees accountId={accountId} />
    </View>
  );
}

function stateOf({ revokedAt, expiresAt }: Token): "revoked" | "expired" | "valid" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) < Date.now() ? "expired" : "valid";
}

function Tokens({ accountId }: { readonly accountId: string }) {
  const path = { account: accountId };
  const tokens = useLoad("listTokens", { path });
  const [kind, setKind] = useState<Token["kind"]>("access");
  const [made, setMade] = useState<string>();
  const [revokes, setRevokes] = useState<Token>();
  const { busy, problem, run } = useAct();
  const create = () =>
    run(async () => {
      setMade((await ask("createToken", { path, body: { kind } })).token);
      tokens.reload();
    });
  const columns: Column<Token>[] = [
    { title: common.value.kind, cell: (row) => words.value[row.kind] },
    { title: words.value.hint, cell: (row) => <code class="font-mono">…{row.hint}</code> },
    { title: words.value.created, cell: (row) => <Time at={row.createdAt} /> },
    { title: words.value.used, cell: (row) => <Time at={row.lastUsedAt} /> },
    {
      title: common.value.status,
      cell: (row) => (
        <Badge tone={stateOf(row) === "valid" ? "ok" : "neutral"}>{words.value[stateOf(row)]}</Badge>
      ),
    },
    { title: words.value.given, cell: (row) => row.application ?? "–" },
    ...(mayAct.value
      ? [
          {
            title: common.value.actions,
            cell: (row: Token) =>
              stateOf(row) === "valid" && (
                <Button onPress={() => setRevokes(row)}>{words.value.revoke}</Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <Card title={words.value.tokens}>
      {mayAct.value && (
        <div class="grid gap-3 border-b border-line p-4">
          <div class="flex flex-wrap items-end gap-3">
            <Select
              label={common.value.kind}
              value={kind}
              onChange={(value) => setKind(value as Token["kind"])}
              options={(["access", "agent", "api", "sidecar"] as const).map((each) => [
                each,
                words.value[each],
              ])}
            />
            <Button busy={busy} onPress={create}>
              {words.value.newToken}
            </Button>
          </div>
          {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
          {made !== undefined && <Secret label={words.value.token} text={made} />}
        </div>
      )}
      <Load from={tokens} empty={words.value.tokensEmpty}>
        {(rows) => <Table label={words.value.tokens} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      </Load>
      <Confirm
        title={`${words.value.revoke} …${revokes?.hint ?? ""}`}
        text={words.value.revokeText}
        action={words.value.revoke}
        open={revokes !== undefined}
        onClose={() => setRevokes(undefined)}
        onConfirm={async () => {
          await ask("revokeToken", { path: { ...path, token: revokes?.id ?? "" } });
          tokens.reload();
        }}
      />
    </Card>
  );
}

function Frames({ account }: { readonly account: Account }) {
  const [text, setText] = useState(account.frameOrigins?.join(" ") ?? "");
  const [saved, setSaved] = useState<string>();
  const { busy, problem, run } = useAct();
  const save = () =>
    run(async () => {
      const origins = text.split(/[\s,]+/).filter((each) => each !== "");
      const body = origins.length === 0 ? { any: true } : { any: false, origins };
      await ask("setFrameOrigins", { path: { account: String(account.id) }, body });
      await loadAccounts();
      setSaved(text);
    });
  return (
    <Card title={words.value.frames}>
      <form
        class="flex flex-wrap items-end gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <div class="min-w-0 flex-1 basis-60">
          <Field
            label={words.value.origins}
            hint={words.value.framesHint}
            name="origins"
            value={text}
            required={false}
            error={problem}
            onInput={setText}
          />
        </div>
        <Button type="submit" busy={busy}>
          {saved === text ? words.value.saved : words.value.save}
        </Button>
      </form>
    </Card>
  );
}

function Employees({ accountId }: { readonly accountId: string }) {
  const users = useLoad("accountListUsers", { path: { account: accountId } });
  return (
    <Card title={words.value.employees}>
      <Load from={users} rows={2}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{words.value.employeesEmpty}</Empty>
          ) : (
            <Table
              label={words.value.employees}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: common.value.name, cell: (row) => row.name },
                { title: common.value.id, cell: (row) => row.id },
              ]}
            />
          )
        }
      </Load>
    </Card>
  );
}
