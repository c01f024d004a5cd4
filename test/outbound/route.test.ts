import { expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { findRouteObstacle } from "#/src/outbound/gate/route.ts";

const settings = defaultSettings();

test.each([
  ["acme.org", "", undefined],
  ["mail.test", "", /^mail\.test is a domain that other servers cannot look up/],
  ["mail.test", "relay.acme.org", undefined],
])("a sender at %s, with the smarthost %j", (domain, smarthostHost, message) => {
  const outbound = { ...settings.outbound, smarthostHost };
  const obstacle = findRouteObstacle({ ...settings, outbound }, domain);
  if (message === undefined) expect(obstacle).toBeUndefined();
  else expect(obstacle?.message).toMatch(message);
});
