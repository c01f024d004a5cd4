/** Rooms from the ground up: a room imports from rooms that stand before it in this list; rooms of one line never from each other. */
export const rooms = [
  ["src/own-files.mjs"],
  ["src/model"],
  ["src/fairness"],
  ["src/threads"],
  ["src/formats", "config"],
  ["storage"],
  ["src/accounts"],
  ["src/feed"],
  ["src/evidence"],
  ["src/mail"],
  ["src/render"],
  ["src/collections"],
  ["src/files"],
  ["src/reach"],
  ["src/outbound"],
  ["src/sign-in"],
  ["src/reports"],
  ["src/scheduling"],
  ["src/arrival"],
  ["protocols/connection"],
  ["protocols/sasl", "protocols/http"],
  [
    "protocols/autoconfig",
    "protocols/smtp",
    "protocols/imap",
    "protocols/dav",
    "protocols/json",
    "protocols/delivery",
    "protocols/webhooks",
    "protocols/web",
  ],
  ["src/client"],
  ["src/domain-check"],
  ["src/daemon"],
  ["src/cli"],
  ["src/main.ts"],
  ["src/start.mjs"],
] as const;

export type Room = (typeof rooms)[number][number];

export function roomOf(file: string): Room | undefined {
  return rooms.flat().find((room) => file === room || file.startsWith(`${room}/`));
}
