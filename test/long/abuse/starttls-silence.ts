/** Connections to every port that begin TLS and then send nothing: `node test/long/abuse/starttls-silence.ts`. */
import { setTimeout as delay } from "node:timers/promises";
import { type Attack, attack } from "./attack.ts";
import { closed, connect, overAndOver, portOf } from "./clients.ts";

const connections = 1500;
const networks = 15;

export const starttlsSilence: Attack = {
  title: `${connections} connections of ${networks} networks ask for TLS and say nothing`,
  attackers: 0,
  run: (daemon, _attackers, until) => {
    const ports = [
      [daemon.smtp, "EHLO x\r\nSTARTTLS\r\n"],
      [daemon.submission, "EHLO x\r\nSTARTTLS\r\n"],
      [daemon.imap, "a STARTTLS\r\n"],
      [daemon.submissions, "\x16\x03\x01\x02\x00"],
      [daemon.imaps, "\x16\x03\x01\x02\x00"],
      [portOf(daemon.https), "\x16\x03\x01\x02\x00"],
    ] as const;
    return overAndOver(
      connections,
      until,
      async (at) => {
        const [port, words] = ports[at % ports.length]!;
        const socket = connect(port, 1 + (at % networks), until);
        await delay(100);
        socket.write(Buffer.from(words, "latin1"));
        await closed(socket);
      },
      1000,
    );
  },
};

await attack(import.meta, starttlsSilence);
