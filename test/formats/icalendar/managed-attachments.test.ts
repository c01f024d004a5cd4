import { expect, it } from "vitest";
import { withoutManagedIds } from "#/src/formats/icalendar/managed-attachments.ts";
import { eventText } from "../../support/items.ts";

it("takes MANAGED-ID from ATTACH for other servers, also where it is folded, and changes nothing else", () => {
  const url = "https://first.example/x";
  const text = eventText(
    "a",
    "X-NOTE;MANAGED-ID=B:kept",
    `ATTACH;MANA\r\n GED-ID=A;SIZE=9:${url}`,
    "SUMMARY:x",
  );
  const told = eventText("a", "X-NOTE;MANAGED-ID=B:kept", `ATTACH;SIZE=9:${url}`, "SUMMARY:x");
  expect(Buffer.from(withoutManagedIds(text)).toString()).toBe(told.toString());
  const plain = eventText("a", `ATTACH:${url}`);
  expect(withoutManagedIds(plain)).toBe(plain);
});
