import type net from "node:net";
import { describe, expect, test } from "vitest";
import {
  type ConnectionDoor,
  type ConnectionOwner,
  type ConnectionPlace,
  createConnectionDoor,
} from "#/protocols/connection/connection-door.ts";
import { Gate, type GateLimits } from "#/src/fairness/gate.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";

function openDoor(limits: Partial<GateLimits> = {}): ConnectionDoor {
  return createConnectionDoor(new Gate({ what: "connections", total: 100, share: 2, ...limits }));
}

function enter(door: ConnectionDoor, remoteAddress: string): ConnectionPlace {
  const place = door.enter({ remoteAddress } as net.Socket);
  if (typeof place === "string") throw new Error(place);
  return place;
}

function refusal(door: ConnectionDoor, remoteAddress: string): string | undefined {
  const place = door.enter({ remoteAddress } as net.Socket);
  if (typeof place === "string") return place;
  place.leave();
  return undefined;
}

function owner(agent: number, account: number): ConnectionOwner {
  return { agent: agent as AgentNumber, account: account as AccountNumber };
}

describe("before a login", () => {
  test.each([
    ["an IPv4 /24", "192.0.2.1", "::ffff:192.0.2.2", "192.0.2.3", "198.51.100.1"],
    ["an IPv6 /64", "2001:db8::1", "2001:db8:0:0:ffff::2", "2001:db8::3", "2001:db8:0:1::1"],
  ])("%s has its share and others theirs", (_, first, second, third, elsewhere) => {
    const door = openDoor();
    const place = enter(door, first);
    enter(door, second);
    expect(refusal(door, third)).toBe("network_full");
    expect(refusal(door, elsewhere)).toBe(undefined);
    place.leave();
    place.leave();
    enter(door, third);
    expect(refusal(door, third)).toBe("network_full");
  });

  test("loopback has no share of its own, only the total", () => {
    const door = openDoor({ total: 4 });
    for (const address of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"]) enter(door, address);
    expect(refusal(door, "127.0.0.1")).toBe("role_full");
    expect(refusal(door, "192.0.2.1")).toBe("role_full");
  });
});

describe("a login", () => {
  test("moves a connection from the share of its network to that of its owner", () => {
    const door = openDoor({ mailboxShare: 1 });
    const first = enter(door, "192.0.2.1");
    const second = enter(door, "192.0.2.2");
    expect(first.claim(owner(1, 1))).toBe(true);
    expect(first.isClaimed).toBe(true);
    enter(door, "192.0.2.3");
    expect(refusal(door, "192.0.2.4")).toBe("network_full");
    // The mailbox has its share: the second stays what it was.
    expect(second.claim(owner(1, 1))).toBe(false);
    expect(second.isClaimed).toBe(false);
    expect(first.claim(owner(1, 1))).toBe(true);
    first.leave();
    expect(second.claim(owner(1, 1))).toBe(true);
    expect(refusal(door, "192.0.2.5")).toBe(undefined);
  });

  test("is refused when the account above the mailbox has its share", () => {
    const door = openDoor({ total: 4, accountShare: 2, share: 4 });
    const [first, second, third] = [1, 2, 3].map(() => enter(door, "192.0.2.1"));
    expect(first!.claim(owner(1, 1))).toBe(true);
    expect(second!.claim(owner(2, 1))).toBe(true);
    expect(third!.claim(owner(3, 1))).toBe(false);
    expect(third!.claim(owner(4, 2))).toBe(true);
    second!.leave();
    expect(enter(door, "192.0.2.1").claim(owner(3, 1))).toBe(true);
  });

  test("of another owner moves the connection again, also within an account that is full", () => {
    const door = openDoor({ total: 2, accountShare: 1, mailboxShare: 1 });
    const place = enter(door, "192.0.2.1");
    expect(place.claim(owner(1, 1))).toBe(true);
    expect(place.claim(owner(2, 1))).toBe(true);
    const other = enter(door, "192.0.2.1");
    expect(other.claim(owner(1, 1))).toBe(false);
    place.leave();
    expect(other.claim(owner(2, 1))).toBe(true);
  });

  test("keeps its connection when another network finds no place, until it is returned", () => {
    const door = openDoor({ total: 3, share: 3, mailboxShare: 3 });
    const ended: number[] = [];
    const places = [1, 2, 3].map((name) => {
      const place = enter(door, "192.0.2.1");
      place.giveWay(() => void ended.push(name));
      expect(place.claim(owner(1, 1))).toBe(true);
      return place;
    });
    // It is idle again after its login.
    places[1]!.giveWay(() => void ended.push(2));
    expect(refusal(door, "198.51.100.1")).toBe("role_full");
    expect(ended).toEqual([]);
    for (const place of places.slice(0, 2)) expect(place.giveBack()).toBe(true);
    enter(door, "198.51.100.1");
    expect(ended).toEqual([1]);
  });

  test("can be returned to the share of the network, unless the network has its share", () => {
    const door = openDoor({ mailboxShare: 1 });
    const place = enter(door, "192.0.2.1");
    place.claim(owner(1, 1));
    const others = [enter(door, "192.0.2.1"), enter(door, "192.0.2.1")];
    expect(place.giveBack()).toBe(false);
    expect(place.isClaimed).toBe(true);
    others[0]!.leave();
    expect(place.giveBack()).toBe(true);
    expect(refusal(door, "192.0.2.1")).toBe("network_full");
    expect(others[1]!.claim(owner(1, 1))).toBe(true);
  });
});
