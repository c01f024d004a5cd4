import { expect, test } from "vitest";
import { isPublicAddress } from "#/src/model/public-address.ts";

test.each([
  ["8.8.8.8", true],
  ["172.15.0.1", true],
  ["172.16.0.1", false],
  ["127.0.0.1", false],
  ["0.0.0.0", false],
  ["10.1.2.3", false],
  ["100.64.0.1", false],
  ["169.254.169.254", false],
  ["192.168.1.1", false],
  ["255.255.255.255", false],
  ["2606:4700::1111", true],
  ["::1", false],
  ["::", false],
  ["fe80::1", false],
  ["fd00::1", false],
  ["2001:db8::1", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:7f00:1", false],
  ["::ffff:8.8.8.8", true],
  ["::ffff:0:127.0.0.1", false],
  ["::ffff:0:8.8.8.8", false],
  ["192.88.99.1", false],
  ["192.88.98.1", true],
  ["64:ff9b::10.0.0.1", false],
  ["64:ff9b::808:808", true],
  ["2002:7f00:1::", false],
  ["2002:808:808::1", true],
  ["fe80::1%eth0", false],
  ["localhost", false],
  ["", false],
])("%s is public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
