/** What the compiler refuses: `npm run typecheck` fails if one of these lines compiles. An operation says all about itself, and has its rows. */
import { z } from "zod";
import { operation } from "#/protocols/json/operation.ts";
import type { AnyOperation, OperationName } from "#/protocols/json/registry.ts";
import { idOf, versionText, writeResult } from "#/protocols/json/schemas.ts";
import type { Covered, NeededOf } from "./authorization-table.ts";

declare const run: () => Promise<never>;
const example = { id: "message_…" };
const contract = {
  ...({ verb: "put", summary: "", scope: "mail", reaches: "own", errors: [] } as const),
  ...{ example, output: writeResult, run },
};
const input = z.strictObject({ id: idOf("message", "folder"), version: versionText });

const pin = operation({
  ...contract,
  name: "pin.update",
  input,
  effect: "writes",
  version: "required",
  putsMail: false,
});

// @ts-expect-error A write that does not say what it does with a version.
operation({ ...contract, name: "pin.update", input, effect: "writes", putsMail: false });
// @ts-expect-error A write that does not say whether it puts mail into a folder.
operation({ ...contract, name: "pin.update", input, effect: "writes", version: "required" });
const bare = z.strictObject({ id: idOf("message") });
const named = { ...contract, name: "pin.delete", effect: "writes", putsMail: false } as const;
// @ts-expect-error A version that is required, and no field for it.
operation({ ...named, input: bare, version: "required" });
// @ts-expect-error A field for a version that nobody looks at.
operation({ ...named, input, version: "none" });

// @ts-expect-error An operation with fields that take ids, and no row of rights for them.
({}) satisfies Record<Exclude<NeededOf<typeof pin>, Covered>, never>;
type Rows = "pin.update /id message" | "pin.update /id folder";
({}) satisfies Record<Exclude<NeededOf<typeof pin>, Covered | Rows>, never>;

type Every = OperationName | (typeof pin)["name"];
declare const sampled: Readonly<Record<OperationName, () => object>>;
// @ts-expect-error An operation that is missing in a table of all.
sampled satisfies Readonly<Record<Every, () => object>>;

type Versioned = Extract<AnyOperation | typeof pin, { readonly version?: "required" }>["name"];
declare const versioned: Readonly<Record<Exclude<Versioned, "pin.update">, object>>;
// @ts-expect-error A change of a stored object, and no call without its version.
versioned satisfies Readonly<Record<Versioned, object>>;
