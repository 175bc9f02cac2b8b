import type { Operations } from "../../kit/api/generated.ts";
import { Badge, Notice, type Tone } from "../../kit/notice.tsx";
import { Card, Code, type Column, Load, Table, View } from "../parts.tsx";
import { account, useLoad } from "../state.ts";
import { commonWords as common, templatesWords as words } from "../texts/texts.ts";

type Template = Operations["accountListTemplates"]["output"][number];

const TONES: Readonly<Record<string, Tone>> = {
  approved: "ok",
  pending: "wait",
  rejected: "bad",
  paused: "wait",
};

export function TemplatesView() {
  return (
    <View title={common.value.templates}>
      {account.value === null ? (
        <Notice tone="neutral">{common.value.chooseAccount}</Notice>
      ) : (
        <Templates accountId={account.value} />
      )}
    </View>
  );
}

function Templates({ accountId }: { readonly accountId: string }) {
  const templates = useLoad("accountListTemplates", { path: { account: accountId } });
  const columns: Column<Template>[] = [
    { title: common.value.name, cell: (row) => <span class="font-semibold">{row.name}</span> },
    { title: words.value.language, cell: (row) => row.language },
    { title: words.value.category, cell: (row) => row.category },
    {
      title: common.value.status,
      cell: (row) => <Badge tone={TONES[row.status] ?? "neutral"}>{row.status}</Badge>,
    },
    {
      title: words.value.code,
      class: "md:w-2/5",
      cell: (row) => (
        <details>
          <summary class="min-h-6">{words.value.show}</summary>
          <Code label={`${row.name}: ${words.value.code}`} text={row.templateCode} />
        </details>
      ),
    },
  ];
  return (
    <Card title={common.value.templates}>
      <Load from={templates} empty={words.value.empty}>
        {(rows) => (
          <Table
            label={common.value.templates}
            columns={columns}
            rows={rows}
            keyOf={({ templateGuid }) => templateGuid}
          />
        )}
      </Load>
    </Card>
  );
}
