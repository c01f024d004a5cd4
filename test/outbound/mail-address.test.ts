import { describe, expect, it } from "vitest";
import { addressKey, parseNamedAddress } from "#/src/outbound/mail-address.ts";

describe("an address in one text", () => {
  it.each([
    ["bob@out.example", { name: "", address: "bob@out.example" }],
    [" Bob@OUT.example ", { name: "", address: "Bob@out.example" }],
    ["Bob <bob@out.example>", { name: "Bob", address: "bob@out.example" }],
    ['"Bob, of Out" <bob@out.example>', { name: "Bob, of Out", address: "bob@out.example" }],
    ["<bob@out.example>", { name: "", address: "bob@out.example" }],
    ["Büro <büro@büro.example>", { name: "Büro", address: "büro@xn--bro-hoa.example" }],
    ['"bob"@out.example', { name: "", address: "bob@out.example" }],
    ['"bob smith"@out.example', { name: "", address: '"bob smith"@out.example' }],
  ])("accepts %j", (text, expected) => {
    expect(parseNamedAddress(text)).toEqual(expected);
  });

  it.each([
    "",
    "bob",
    "a@b.example c@d.example",
    "a@b.example, c@d.example",
    "a@b.example <c@d.example> <e@f.example>",
    "bob@here.example@out.example",
    "@a.example:bob@out.example",
    "<@a.example:bob@out.example>",
    "Team: bob@out.example;",
    "Bob <bob@out.example> and more",
    "Bob <bob@out.example",
  ])("refuses %j", (text) => {
    expect(parseNamedAddress(text)).toBeUndefined();
  });
});

it("spellings of one address have one key", () => {
  const spellings = ["Bob@xn--bro-hoa.example", '"bob"@büro.example', '"b\\ob"@BÜRO.example'];
  expect(new Set(spellings.map(addressKey))).toEqual(new Set(["bob@xn--bro-hoa.example"]));
});
