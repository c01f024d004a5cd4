import { expect, it, test } from "vitest";
import {
  type DeliveryState,
  deliveryReasonOf,
  deliveryReasons,
  deliveryStateOf,
  mailStateOf,
} from "#/src/model/delivery.ts";

test.each([
  ["5.1.1", "no_such_mailbox"],
  ["5.1.2", "no_such_domain"],
  ["5.1.10", "mail_not_accepted"],
  ["4.2.2", "mailbox_full"],
  ["5.3.4", "too_large"],
  ["5.2.3", "too_large"],
  ["4.5.3", "too_many_recipients"],
  ["5.6.7", "content_refused"],
  ["5.1.8", "sender_refused"],
  ["5.7.26", "not_authenticated"],
  ["4.7.1", "policy_refused"],
  ["5.7.999", "policy_refused"],
  ["4.7.5", "tls_required"],
  ["4.4.1", "host_unreachable"],
  ["5.4.4", "host_unreachable"],
  ["4.3.0", "server_unavailable"],
  ["5.4.6", "mail_loop"],
  ["4.4.7", "expired"],
  ["5.5.1", "protocol_error"],
  ["5.0.0", "unspecified"],
  ["5.999.999", "unspecified"],
  ["", "unspecified"],
  ["5.constructor.1", "unspecified"],
])("reads %j as %s", (status, reason) => {
  expect(deliveryReasonOf(status)).toBe(reason);
  expect(deliveryReasons).toContain(reason);
});

test.each([
  [["queued", "bounced"], false, "queued"],
  [["queued", "queued"], true, "scheduled"],
  [["delayed", "delivered"], false, "queued"],
  [["sent", "delivered", "bounced"], false, "sent"],
  [["delivered", "bounced"], false, "delivered"],
  [["bounced", "cancelled"], false, "bounced"],
  [["cancelled"], true, "cancelled"],
] as const)(
  "gives mail with the recipient states %j, scheduled %s, the state %s",
  (states: readonly DeliveryState[], isScheduled, state) => {
    expect(mailStateOf(states, isScheduled)).toBe(state);
  },
);

it("gives a recipient the state delayed after a temporary failure, here or at the server that has accepted it", () => {
  expect(deliveryStateOf({ state: "queued", status: null })).toBe("queued");
  expect(deliveryStateOf({ state: "queued", status: "4.2.1" })).toBe("delayed");
  expect(deliveryStateOf({ state: "relayed", status: "2.0.0" })).toBe("sent");
  expect(deliveryStateOf({ state: "relayed", status: "4.4.1" })).toBe("delayed");
});
