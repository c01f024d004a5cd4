/** What the compiler refuses: `npm run typecheck` fails if one of these lines compiles. A column says what becomes of it on every journey. */
import { type Column, derived, type Fates, text } from "#/storage/schema/column.ts";
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
