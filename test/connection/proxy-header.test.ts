import fc from "fast-check";
import { expect, test } from "vitest";
import { readProxyHeader } from "#/protocols/connection/proxy-header.ts";

const signature = "0d0a0d0a000d0a515549540a";
const binary = (rest: string) => Buffer.from(signature + rest, "hex");
const v4 = "c0000207" + "c6336401" + "dc04" + "0019";
const v6 = "20010db8000000000000000000000007" + "20010db8000000000000000000000001" + "dc040019";

test.each<[string, Buffer, string | undefined]>([
  ["TCP4", Buffer.from("PROXY TCP4 192.0.2.7 198.51.100.1 56324 25\r\n"), "192.0.2.7"],
  ["TCP6", Buffer.from("PROXY TCP6 2001:db8::7 2001:db8::1 56324 25\r\n"), "2001:db8::7"],
  ["UNKNOWN", Buffer.from("PROXY UNKNOWN\r\n"), undefined],
  ["UNKNOWN with more", Buffer.from("PROXY UNKNOWN ffff:f...f 1 2 3\r\n"), undefined],
  ["version 2, IPv4", binary(`2111000c${v4}`), "192.0.2.7"],
  ["version 2, IPv4, with an extension", binary(`21110010${v4}04000100`), "192.0.2.7"],
  ["version 2, IPv6", binary(`21210024${v6}`), "2001:db8:0:0:0:0:0:7"],
  ["version 2, LOCAL", binary("20000000"), undefined],
  ["version 2, a Unix socket", binary(`213100d8${"00".repeat(216)}`), undefined],
])("reads %s, and nothing behind it", (_, header, source) => {
  const octets = Buffer.concat([header, Buffer.from("EHLO x\r\n")]);
  expect(readProxyHeader(octets)).toEqual({ kind: "header", length: header.length, source });
  for (let length = 0; length < header.length; length++)
    expect(readProxyHeader(header.subarray(0, length)).kind).toBe("partial");
});

test.each<[string, Buffer]>([
  ["an address that is none", Buffer.from("PROXY TCP4 192.0.2.777 198.51.100.1 1 2\r\n")],
  ["an address of the other family", Buffer.from("PROXY TCP6 192.0.2.7 192.0.2.8 1 2\r\n")],
  ["no ports", Buffer.from("PROXY TCP4 192.0.2.7 198.51.100.1\r\n")],
  ["no end", Buffer.from(`PROXY TCP4 ${"1".repeat(200)}`)],
  ["another version", binary("3111000c")],
  ["addresses that are too short", binary("21110004c0000207")],
  ["more than there ever is", binary("2111ffff")],
])("refuses a header with %s", (_, octets) => {
  expect(readProxyHeader(octets)).toEqual({ kind: "malformed" });
});

test("reads no other octets as a header", () => {
  expect(readProxyHeader(Buffer.from("GET / HTTP/1.1\r\n"))).toEqual({ kind: "none" });
  expect(readProxyHeader(Buffer.from("1603010200", "hex"))).toEqual({ kind: "none" });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (octets) => {
      readProxyHeader(Buffer.concat([Buffer.from(signature, "hex"), octets]));
      readProxyHeader(Buffer.from(octets));
    }),
  );
});
