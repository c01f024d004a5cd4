import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { equivalent } from "./equivalent.ts";
import { listed } from "./listed.ts";

const top = path.resolve(import.meta.dirname, "../..");

test.each([...listed, ...equivalent])("$from stands once in $file", ({ file, from, to }) => {
  const source = fs.readFileSync(path.join(top, file), "utf8");
  expect(source.split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});
