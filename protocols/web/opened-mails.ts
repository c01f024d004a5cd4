/** Which mails a browser has opened since its person signed in, each with the version that was shown: only these can be approved several at
 *  once, and a later version is shown with what changed since. It is kept in memory; after a start a person opens them once more. */

/** What an approver compares of two versions. */
export interface ShownVersion {
  readonly version: string;
  readonly recipients: readonly string[];
  readonly subject: string;
  /** undefined for a text that is too long to be kept. */
  readonly text: string | undefined;
}

export interface OpenedMails {
  note(session: number, hold: string, shown: ShownVersion): void;
  /** The version that was opened last. */
  versionOf(session: number, hold: string): string | undefined;
  /** The last version that was opened before this one, if it is still known. */
  formerOf(session: number, hold: string, version: string): ShownVersion | undefined;
}

const sessionsMax = 1000;
const mailsMax = 1000;
/** Versions whose text is kept, of all browsers together: two for a mail, of 4 KiB each. */
const comparedMax = 250;

export function rememberOpenedMails(): OpenedMails {
  const bySession = new Map<number, Map<string, string>>();
  const compared = new Map<string, readonly ShownVersion[]>();

  function compareLater(key: string, shown: ShownVersion): void {
    const versions = (compared.get(key) ?? []).filter(({ version }) => version !== shown.version);
    compared.delete(key);
    compared.set(key, [shown, ...versions].slice(0, 2));
    if (compared.size > comparedMax) compared.delete(compared.keys().next().value!);
  }

  return {
    note(session, hold, shown) {
      const mails = bySession.get(session) ?? new Map<string, string>();
      bySession.delete(session);
      bySession.set(session, mails);
      mails.delete(hold);
      mails.set(hold, shown.version);
      if (mails.size > mailsMax) mails.delete(mails.keys().next().value!);
      if (bySession.size > sessionsMax) bySession.delete(bySession.keys().next().value!);
      compareLater(`${session} ${hold}`, shown);
    },
    versionOf: (session, hold) => bySession.get(session)?.get(hold),
    formerOf: (session, hold, version) =>
      compared.get(`${session} ${hold}`)?.find((one) => one.version !== version),
  };
}
