/** What the compiler refuses: `npm run typecheck` fails if one of these lines compiles. A column says what becomes of it on every journey. */

import type { MessageNumber } from "#/src/model/numbers.ts";
import { type Column, derived, type Fates, text } from "#/storage/schema/column.ts";
import { insertion, type NewRow } from "#/storage/schema/insertion.ts";
import { selectList, wholeRow } from "#/storage/schema/select-list.ts";
import type { SqlValue } from "#/storage/sql.ts";

const { draftVersion: _, ...incomplete } = derived;

// @ts-expect-error A column that says nothing.
text();
// @ts-expect-error A column that does not say what becomes of it in a new version of a draft.
text(incomplete);
// @ts-expect-error A column that is dropped without a reason.
text({ ...derived, transfer: { dropped: undefined } });
// @ts-expect-error A column that is neither carried nor derived nor dropped.
text({ ...derived, transfer: "lost" });
const columns = { pinned: {} };
// @ts-expect-error A table with a column that says nothing.
columns satisfies Readonly<Record<string, Column<SqlValue>>>;
incomplete satisfies Partial<Fates>;

interface PinnedRow {
  readonly message: MessageNumber;
  readonly subject: string;
  readonly date: number | null;
}
const list = { message: "message.message_id", subject: "message.subject", date: "message.date" } as const;
const { subject: _left, ...short } = list;

selectList<PinnedRow, "message">(list);
// @ts-expect-error A select list without a member of its row.
selectList<PinnedRow, "message">(short);
// @ts-expect-error A column that its row has no member for.
selectList<PinnedRow, "message">({ ...list, thread: "message.thread_id" });
// @ts-expect-error A column that does not exist.
selectList<PinnedRow, "message">({ ...list, subject: "message.topic" });
// @ts-expect-error A column that holds something else.
selectList<PinnedRow, "message">({ ...list, subject: "message.size" });
// @ts-expect-error A null that the row does not expect.
selectList<Omit<PinnedRow, "date"> & { readonly date: number }, "message">(list);

interface SubscriptionRow {
  readonly name: string;
}
const whole = wholeRow<SubscriptionRow, "subscription">();
whole({ name: "subscription.name" }, { agent_id: "the caller has named it" });
// @ts-expect-error A column that is neither read nor left out with a reason.
whole({ name: "subscription.name" }, {});
// @ts-expect-error A column that is left out and read.
whole({ name: "subscription.name" }, { agent_id: "the caller has named it", name: "" });
// @ts-expect-error A column that its row has no member for.
whole({ name: "subscription.name", agent: "subscription.agent_id" }, {});

declare const keyword: NewRow<"keyword">;
const { folded_name: _folded, ...unfolded } = keyword;
insertion("keyword", keyword);
// @ts-expect-error A new row that does not say what one of its columns has.
insertion("keyword", unfolded);
// @ts-expect-error The same in one of several.
insertion("keyword", [keyword, unfolded]);
// @ts-expect-error A column that holds something else.
insertion("keyword", { ...keyword, name: 1 });
