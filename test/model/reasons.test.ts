/** The reasons of refusals: how each protocol says one is in its table, which the compiler keeps complete (`protocols/imap/errors.ts`). */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { errorReasons } from "#/src/model/errors.ts";

const top = path.join(import.meta.dirname, "../..");
/** Where a reason stands as a word alone. */
const lists = ["src/model/errors.ts", "src/client/operations.ts"];

it("are each used by something that refuses", () => {
  const files = ["src", "protocols", "storage"].flatMap((room) =>
    readdirSync(path.join(top, room), { recursive: true, encoding: "utf8" }).map((name) => `${room}/${name}`),
  );
  const text = files
    .filter(
      (file) => file.endsWith(".ts") && !lists.includes(file) && !/^protocols\/\w+\/errors\.ts$/.test(file),
    )
    .map((file) => readFileSync(path.join(top, file), "utf8"))
    .join("\n");
  expect(errorReasons.filter((reason) => !text.includes(`"${reason}"`))).toEqual([]);
});
