import { expect, it } from "vitest";
import { formatCheck } from "#/src/cli/check-lines.ts";

it("prints right things in a line each, the wrong ones last with the line to copy, and a summary", () => {
  const text = formatCheck({
    ok: false,
    nameServers: ["ns1.x.net"],
    findings: [
      {
        what: "TLSA _25._tcp.mx.x.net",
        status: "wrong",
        found: "3 1 1 ab",
        why: "No mail.",
        copy: "_25… 3 1 1 cd",
      },
      { what: "MX x.net", status: "ok", found: "10 mx.x.net.", expected: "10 mx.x.net." },
      {
        what: "PTR of 44.0.0.1",
        status: "wrong",
        found: "a\u001b[2Jb",
        expected: "mx.x.net",
        why: "It leads away.",
      },
      { what: "TXT _dmarc.x.net", status: "remark", found: "v=DMARC1; p=none", why: "p=none." },
    ],
  });
  expect(text.split("\n")).toEqual([
    "right      MX x.net  10 mx.x.net.",
    "remark     TXT _dmarc.x.net  v=DMARC1; p=none",
    "           p=none.",
    "wrong      TLSA _25._tcp.mx.x.net  3 1 1 ab",
    "           No mail.",
    "           copy: _25… 3 1 1 cd",
    "wrong      PTR of 44.0.0.1  a\ufffd[2Jb",
    "           It leads away.",
    "           needed: mx.x.net",
    "",
    "Something is wrong: 1 right, 1 remark, 2 wrong (asked: ns1.x.net).",
  ]);
});
