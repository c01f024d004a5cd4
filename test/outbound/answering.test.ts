import { describe, expect, it } from "vitest";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { answeredAddresses, answerFacts, forwardSubject } from "#/src/outbound/answering.ts";

const fieldsOf = (...lines: string[]) => readHeaderFields(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
const isOwn = (address: string): boolean => /^ada(?:\+.*)?@first\.example$/i.test(address);

function answered(isToAll: boolean, ...lines: string[]): [string, string] {
  const { to, cc } = answeredAddresses(fieldsOf(...lines), isOwn, isToAll);
  return [to, cc].map((list) => list.map(({ address }) => address).join(" ")) as [string, string];
}

describe("recipients of an answer", () => {
  const from = "From: Mel <mel@far.example>";
  const to = "To: Ada <ada+x@first.example>, kit@far.example";
  const cc = "Cc: Team: bob@first.example, mel@FAR.example;, kit@far.example";
  it.each([
    ["the author", false, [from, to, cc], "mel@far.example", ""],
    ["where the author wants it", false, [from, "Reply-To: desk@far.example", to], "desk@far.example", ""],
    [
      "to all: the others too, each once, and not oneself",
      true,
      [from, to, cc],
      "mel@far.example",
      "kit@far.example bob@first.example",
    ],
    [
      "to all of one's own message: those it went to",
      true,
      ["From: ada@first.example", "To: mel@far.example", "Cc: kit@far.example"],
      "mel@far.example",
      "kit@far.example",
    ],
    [
      "to one's own message: those it went to",
      false,
      ["From: ada@first.example", "To: mel@far.example, ada@first.example", "Cc: kit@far.example"],
      "mel@far.example",
      "",
    ],
    ["nobody, of a message without an author", false, ["To: ada@first.example"], "", ""],
    ["nobody whose address is none", false, ["From: undisclosed"], "", ""],
  ])("is %s", (_, isToAll, lines, wantedTo, wantedCc) => {
    expect(answered(isToAll, ...lines)).toEqual([wantedTo, wantedCc]);
  });
});

describe("what an answer refers to", () => {
  it("is the message and its References", () => {
    expect(answerFacts(fieldsOf("Message-ID: <c@x>", "References: <a@x> <b@x>", "Subject: Fwd: It"))).toEqual(
      { inReplyTo: "c@x", references: ["a@x", "b@x", "c@x"], subject: "Re: Fwd: It" },
    );
  });

  it("is the In-Reply-To of the message, where it has no References", () => {
    const facts = answerFacts(fieldsOf("Message-ID: <c@x>", "In-Reply-To: <b@x>", "Subject: It"));
    expect(facts.references).toEqual(["b@x", "c@x"]);
  });

  it("is bounded, and leaves out text that is no message id", () => {
    const many = Array.from({ length: 500 }, (_, index) => `<${index}@x>`).join("\r\n ");
    const facts = answerFacts(
      fieldsOf(`References: ${many} <${"y".repeat(2000)}@x> <a b\u0001@x>`, "Message-ID: <own@x>"),
    );
    expect(facts.references).toHaveLength(40);
    expect(facts.references[0]).toBe("0@x");
    expect(facts.references.at(-1)).toBe("own@x");
  });

  it("is empty for a message without a Message-ID", () => {
    expect(answerFacts(fieldsOf("Subject: x"))).toEqual({
      inReplyTo: undefined,
      references: [],
      subject: "Re: x",
    });
  });
});

it("marks an answer and a forward once", () => {
  expect(answerFacts(fieldsOf("Subject: RE: x")).subject).toBe("RE: x");
  expect(forwardSubject(fieldsOf("Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?="))).toBe("Fwd: Grüße");
  expect(forwardSubject(fieldsOf("Subject: Fwd: x"))).toBe("Fwd: x");
});
