/** What the compiler refuses: `npm run typecheck` fails if one of these lines compiles. A member of a stored object says where it comes from. */
import type { ContentOf } from "#/protocols/json/contents.ts";
import type { Members, members } from "./members.ts";

declare const withoutLabels: Omit<(typeof members)["message"], "labels">;
// @ts-expect-error A member that says nothing.
withoutLabels satisfies Members<ContentOf<"message">>;
declare const ofNoColumn: typeof withoutLabels & { readonly labels: "keyword.title" };
// @ts-expect-error A column that does not exist.
ofNoColumn satisfies Members<ContentOf<"message">>;
type Pinned = ContentOf<"contact"> & { readonly pinned: boolean };
declare const contact: (typeof members)["contact"];
contact satisfies Members<ContentOf<"contact">>;
// @ts-expect-error A member that was added.
contact satisfies Members<Pinned>;
