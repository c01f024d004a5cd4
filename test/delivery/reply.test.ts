import { describe, expect, test } from "vitest";
import { readReply } from "#/protocols/delivery/reply.ts";

describe("a reply", () => {
  test.each([
    ["250 2.0.0 ok", 250, "2.0.0"],
    ["250 ok", 250, "2.0.0"],
    ["550-5.1.1 no\n550 5.1.1 user", 550, "5.1.1"],
    ["550 no 5.1.1", 550, "5.0.0"],
    ["450 5.1.1 mixed up", 450, "4.0.0"],
    ["421", 421, "4.0.0"],
    ["354 go", 354, "3.0.0"],
  ])("%j is %i with status %s", (response, code, status) => {
    expect(readReply(response)).toMatchObject({ code, status });
  });

  test.each([[undefined], [""], ["hello"], ["25"], ["999 x"], ["2500 x"]])("%j is refused", (response) => {
    expect(readReply(response)).toBeUndefined();
  });

  test("is shown as one line without control characters, up to a limit", () => {
    expect(readReply("550-5.1.1 no\r\n550 5.1.1 \u001b[31muser\u202e")?.text).toBe("550-5.1.1 no  [31muser ");
    expect(readReply(`550 ${"x".repeat(5000)}`)?.text.length).toBe(1001);
  });
});
