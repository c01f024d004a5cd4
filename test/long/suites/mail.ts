/** Dovecot's imaptest, Debian's mail programs, and Thunderbird with mail, a calendar and an addressbook. */
import path from "node:path";
import type { ChildDaemon } from "../../support/daemon.ts";
import { davUrl, makeCollection } from "./dav.ts";
import { driven, missingProgram, missingVariable, type Suite } from "./suite.ts";

export function mailSuites(seconds: string): readonly Suite[] {
  return [
    imaptest(seconds, "imaptest-scripts", "scripted"),
    imaptest(seconds, "imaptest-stress", "stress"),
    imaptest(seconds, "imaptest-stress-qresync", "stress", "qresync"),
    driven({
      name: "mail-programs",
      driver: "accept-mail-clients.py",
      missing: () => missingProgram("python3"),
      // Without swaks, which delivers from outside: a submission port is not for that.
      command: (daemon) => ["python3", ...placesOf(daemon), "--smtp-auth", "--only", "^(?!swaks)"],
    }),
    driven({
      name: "thunderbird",
      driver: "accept-thunderbird.py",
      missing: () => missingProgram("python3", "thunderbird"),
      async command(daemon, work) {
        const { address } = daemon.agents[0]!;
        const calendar = await makeCollection(daemon, "calendars", "thunderbird");
        const addressbook = await makeCollection(daemon, "addressbooks", "thunderbird");
        return [
          "python3",
          ...placesOf(daemon),
          ...["--smtp-user", address, "--headless", "--work", path.join(work, "profile")],
          ...["--caldav", davUrl(daemon, calendar), "--carddav", davUrl(daemon, addressbook)],
        ];
      },
    }),
  ];
}

function imaptest(seconds: string, name: string, mode: string, ...args: readonly string[]): Suite {
  return driven({
    name,
    driver: "run-imaptest.sh",
    missing: () => missingVariable("IMAPTEST_DIR"),
    command: ({ imap, agents }, work) => [
      "bash",
      ...[mode, imap.host, String(imap.port), agents[0]!.address, agents[0]!.password],
      path.join(work, "imaptest"),
    ],
    env: () => ({ SECS: seconds, CLIENTS: "50", USERS: "1-1", STRESS_ARGS: args.join(" ") }),
  });
}

function placesOf({ imap, submission, agents }: ChildDaemon): string[] {
  const { address, password } = agents[0]!;
  return [
    ...["--imap", `${imap.host}:${imap.port}`, "--smtp", `${submission.host}:${submission.port}`],
    ...["--user", address, "--password", password, "--addr", address],
  ];
}
