import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import { readArrival } from "#/protocols/web/origin.ts";
import { acceptedLanguage } from "#/protocols/web/words/words.ts";

interface Asked {
  readonly publicUrl?: string;
  readonly host?: string;
  readonly isTls?: boolean;
  readonly peer?: string;
  readonly proto?: string;
  readonly method?: string;
}

function arrivalOf({
  publicUrl = "",
  host,
  isTls = false,
  peer = "192.0.2.9",
  proto,
  method = "GET",
}: Asked) {
  const settings = defaultSettings();
  const request = {
    method,
    headers: { host, "x-forwarded-proto": proto },
    socket: { remoteAddress: peer, localPort: 8080, ...(isTls ? { encrypted: true } : {}) },
  } as unknown as IncomingMessage;
  const chosen = { ...settings, server: { ...settings.server, publicUrl } };
  return readArrival(request, chosen, trustProxies(["10.0.0.1"]));
}

const publicUrl = "https://mail.example.org";

describe("the pages are served", () => {
  test.each<[Asked, string, string | undefined]>([
    [{ host: "localhost:8080" }, "here", "http://localhost:8080"],
    [{ publicUrl, host: "mail.example.org", isTls: true }, "here", publicUrl],
    [{ publicUrl, host: "MAIL.example.org:443", isTls: true }, "here", publicUrl],
    [{ publicUrl, host: "mail.example.org", peer: "10.0.0.1", proto: "https" }, "here", publicUrl],
    [{ publicUrl, host: "mail.example.org", peer: "192.0.2.9", proto: "https" }, "plain", publicUrl],
    [{ publicUrl, host: "mail.example.org", peer: "10.0.0.1", proto: "http" }, "plain", publicUrl],
    [{ publicUrl, host: "other.example", isTls: true }, "elsewhere", publicUrl],
    [{ publicUrl, host: "localhost:8080" }, "elsewhere", publicUrl],
    [{ publicUrl, host: "other.example", isTls: true, method: "POST" }, "plain", publicUrl],
    [{ publicUrl, host: "192.0.2.1", isTls: true }, "address", publicUrl],
    [{ host: "127.0.0.1:8080" }, "address", "http://localhost:8080"],
    [{ host: "[::1]:8080" }, "address", "http://localhost:8080"],
    [{}, "address", "http://localhost:8080"],
    [{ host: "mail.example.org/@evil.example" }, "address", "http://localhost:8080"],
    [{ host: "mail.example.org", isTls: true }, "unset", undefined],
  ])("%o: %s", (asked, expected, origin) => {
    const arrival = arrivalOf(asked);
    expect([arrival.kind === "unfit" ? arrival.why : arrival.kind, arrival.origin]).toEqual([
      expected,
      origin,
    ]);
  });
});

test.each([
  ["", "en"],
  ["de", "de"],
  ["de-AT,de;q=0.9,en;q=0.8", "de"],
  ["fr, en;q=0.4, de;q=0.7", "de"],
  ["de;q=0, *", "en"],
])("the language of %j is %s", (field, language) => {
  expect(acceptedLanguage(field)).toBe(language);
});
