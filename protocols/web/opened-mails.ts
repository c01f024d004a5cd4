/** Which mails a browser has opened since its person signed in, each with the version that was shown: only these can be approved several at
 *  once. It is kept in memory; after a start a person opens them once more. */
export interface OpenedMails {
  note(session: number, hold: string, version: string): void;
  /** The version that was opened last. */
  versionOf(session: number, hold: string): string | undefined;
}

const sessionsMax = 1000;
const mailsMax = 1000;

export function rememberOpenedMails(): OpenedMails {
  const bySession = new Map<number, Map<string, string>>();
  return {
    note(session, hold, version) {
      const mails = bySession.get(session) ?? new Map<string, string>();
      bySession.delete(session);
      bySession.set(session, mails);
      mails.delete(hold);
      mails.set(hold, version);
      if (mails.size > mailsMax) mails.delete(mails.keys().next().value!);
      if (bySession.size > sessionsMax) bySession.delete(bySession.keys().next().value!);
    },
    versionOf: (session, hold) => bySession.get(session)?.get(hold),
  };
}
