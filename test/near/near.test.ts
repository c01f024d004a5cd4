import { expect, test } from "vitest";
import { rooms } from "../support/rooms.ts";
import { filesNearAll, nearFiles } from "./near-files.ts";
import { nearSuites } from "./suites.ts";

const filesMax = 25;

test.each(Object.keys(nearSuites))("%s declares its suites, which are there, and few", (name) => {
  const files = nearFiles(name);
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(filesMax);
});

test("every row is of a room, or of a folder in one", () => {
  const all: readonly string[] = rooms.flat();
  const wrong = Object.keys(nearSuites).filter(
    (name) => !all.some((room) => name === room || name.startsWith(`${room}/`)),
  );
  expect(wrong).toEqual([]);
});

test("a folder of a room has its own row, and a changed test is near to itself", () => {
  expect(nearFiles("protocols/imap/wire/strings.ts")).toContain("test/imap/wire/strings.test.ts");
  expect(nearFiles("protocols/imap/wire/strings.ts")).not.toContain("test/imap/messages.test.ts");
  expect(nearFiles("test/imap/quota.test.ts")).toEqual(["test/imap/quota.test.ts"]);
  expect(filesNearAll(["README.md", "test/long/binary.test.ts"])).toEqual(["test/floors.test.ts"]);
});
