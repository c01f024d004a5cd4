/** The container file: the files that it copies exist or are built, and its settings and ports are those of the program. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { loadSettings } from "#/config/load.ts";

const top = new URL("../../", import.meta.url);
const read = (file: string): string => fs.readFileSync(new URL(file, top), "utf8");
const lines = read("config/build/Containerfile").replaceAll("\\\n", " ").split("\n");
const wordsOf = (instruction: string): string[] =>
  lines.filter((line) => line.startsWith(`${instruction} `)).flatMap((line) => line.split(/\s+/).slice(1));

test("copies files of the repository and the binary that npm run build makes", () => {
  const copied = lines
    .filter((line) => line.startsWith("COPY "))
    .flatMap((line) => line.split(/\s+/).slice(1, -1))
    .filter((word) => !word.startsWith("--"));
  expect(copied).toContain("dist/waypost");
  expect(read("config/build/build-binary.ts")).toContain('"waypost.exe" : "waypost"');
  for (const file of copied)
    if (!file.startsWith("dist/")) expect(fs.existsSync(new URL(file, top)), file).toBe(true);
});

test("sets only existing settings, and exposes their ports", () => {
  const environment = Object.fromEntries(wordsOf("ENV").map((word) => word.split("=") as [string, string]));
  const settings = loadSettings({ environment });
  expect(settings.server.bind).toBe("0.0.0.0");
  expect(settings.storage.folder).toBe("/var/lib/waypost/data");
  expect(wordsOf("VOLUME")).toEqual(["/var/lib/waypost"]);
  const { smtp, submission, submissions, imap, imaps, http, https, acme } = settings;
  expect(wordsOf("EXPOSE").map(Number)).toEqual(
    [smtp, submission, submissions, imap, imaps, http, https, acme].map(({ port }) => port),
  );
  expect(wordsOf("USER")).toEqual(["waypost"]);
  // The line to copy publishes every port of the world under its usual number.
  const published = [...read("config/build/Containerfile").matchAll(/-p (\d+):(\d+)/g)];
  expect(published.map(([, outside, inside]) => [Number(outside), Number(inside)])).toEqual([
    [25, smtp.port],
    [80, acme.port],
    [465, submissions.port],
    [587, submission.port],
    [993, imaps.port],
    [443, https.port],
  ]);
});

test("has the libraries that the Debian package depends on", () => {
  const [, depends = ""] = /^Depends: (.+)$/m.exec(read("config/build/build-deb.ts"))!;
  const libraries = depends.split(", ").map((one) => one.split(" ")[0]!);
  const installed = lines.join(" ");
  for (const library of libraries.filter((one) => one !== "libc6" && one !== "passwd"))
    expect(installed).toContain(library);
});
