import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { formatExample } from "#/config/example.ts";
import { loadSettings } from "#/config/load.ts";
import { defaultSettings, settingDescriptions } from "#/config/schema.ts";

const file = new URL("../../config/waypost.example.toml", import.meta.url).pathname;

test("the example loads and means the defaults", () => {
  expect(loadSettings({ file })).toEqual(defaultSettings());
});

test("the example names every setting", () => {
  const example = parse(readFileSync(file, "utf8")) as Record<string, Record<string, unknown>>;
  const names = Object.entries(example).flatMap(([section, values]) =>
    Object.keys(values).map((key) => `${section}.${key}`),
  );
  expect(names).toEqual(settingDescriptions.map((setting) => setting.name));
});

test("the example is what the schema says (config/build/write-example.ts writes it)", () => {
  expect(readFileSync(file, "utf8")).toBe(formatExample());
});

test("every setting has a meaning of one line", () => {
  for (const { name, meaning } of settingDescriptions) expect(meaning, name).toMatch(/^[A-Z:].{10,140}\.$/);
});
