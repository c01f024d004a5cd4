import { describe, expect, test } from "vitest";
import { parseGs2Header } from "#/protocols/sasl/gs2-header.ts";
import { parseBearerMessage } from "#/protocols/sasl/oauthbearer.ts";
import { parseClientFinal, parseClientFirst } from "#/protocols/sasl/scram-message.ts";

describe("a GS2 header", () => {
  test.each([
    ["n,,rest", { binding: "n", authorizationId: "", text: "n,," }],
    ["y,a=kim@x,", { binding: "y", authorizationId: "kim@x", text: "y,a=kim@x," }],
    [
      "p=tls-exporter,,",
      { binding: { name: "tls-exporter" }, authorizationId: "", text: "p=tls-exporter,," },
    ],
    ["n,a=a=2Cb=3D,", { binding: "n", authorizationId: "a,b=", text: "n,a=a=2Cb=3D," }],
  ])("is read: %s", (text, header) => expect(parseGs2Header(text)).toEqual(header));

  test.each(["", "n", "n,", "x,,", "p,,", "p=,,", "n,b=x,", "n,a=a=2cb,", "n,a=a=b,", "n,a=\0,"])(
    "is none: %j",
    (text) => expect(parseGs2Header(text)).toBeUndefined(),
  );
});

describe("the first message of a SCRAM client", () => {
  test("is read with its user and nonce", () => {
    expect(parseClientFirst(Buffer.from("n,,n=us=3Der,r=abc,x=1"))).toMatchObject({
      user: "us=er",
      nonce: "abc",
      bare: "n=us=3Der,r=abc,x=1",
    });
  });

  test.each([
    "",
    "n,,",
    "n,,n=,r=a",
    "n,,n=a",
    "n,,n=a,r=",
    "n,,m=x,n=a,r=b",
    "n,,n=a,r=b c",
    "n=a,r=b",
    "n,,n=\xff",
  ])("is none: %j", (text) => expect(parseClientFirst(Buffer.from(text, "latin1"))).toBeUndefined());
});

test.each([
  "",
  "c=biws",
  "c=biws,r=a",
  "c=biws,r=a,p=",
  "r=a,c=biws,p=AAAA",
  "c=biws,r=a,p=AAAA,x=1",
  "c=,r=a,p=AA",
])("what is no final message of a SCRAM client is none: %j", (text) =>
  expect(parseClientFinal(Buffer.from(text))).toBeUndefined(),
);

describe("an OAUTHBEARER message", () => {
  test("is read as RFC 7628 section 4.1 has it", () => {
    const text =
      "n,a=user@example.com,\x01host=server.example.com\x01port=143\x01auth=Bearer vF9dft4qmT==\x01\x01";
    expect(parseBearerMessage(Buffer.from(text))).toEqual({
      address: "user@example.com",
      token: "vF9dft4qmT==",
    });
  });

  test.each([
    "",
    "n,,\x01",
    "n,,\x01\x01",
    "n,,\x01auth=Bearer \x01\x01",
    "n,,\x01auth=Basic x\x01\x01",
    "n,,\x01auth=Bearer x\x01",
    "n,,\x01auth=Bearer x\x01auth=Bearer y\x01\x01",
    "p=tls-exporter,,\x01auth=Bearer x\x01\x01",
    "auth=Bearer x\x01\x01",
  ])("is none: %j", (text) => expect(parseBearerMessage(Buffer.from(text))).toBeUndefined());
});
