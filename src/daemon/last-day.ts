/** What the server did in each of the last 24 hours: mails, the queue, refusals. It is kept in memory, three numbers an hour, and begins anew at a
 *  start. */
import { every } from "#/src/model/background.ts";
import type { Clock } from "#/src/model/clock.ts";
import type { Tally } from "#/src/model/tally.ts";

export interface HourOfDay {
  /** When it began. */
  readonly at: string;
  /** Mails that other servers brought, and recipients to whom mail was delivered. */
  readonly mails: number;
  /** The most recipients whose mail was on its way out at a look. */
  readonly queued: number;
  /** MAIL, RCPT and connections that were refused. */
  readonly refused: number;
}

export interface LastDay {
  /** Counts beside another tally. */
  beside(tally: Tally): Tally;
  /** The oldest hour first; the last one runs. */
  hours(): readonly HourOfDay[];
  /** Looks at the queue from now on, once a minute. Returns what ends it. */
  watch(countQueued: () => Promise<number>): () => void;
}

const hourMs = 3_600_000;
const lookMs = 60_000;
const hoursKept = 24;

/** Outcomes of attempts by which a mail is with its recipient, or with the next server. */
const left: ReadonlySet<string> = new Set(["delivered", "relayed", "sent"]);

interface Counts {
  hour: number;
  mails: number;
  queued: number;
  refused: number;
}

export function createLastDay(clock: Clock): LastDay {
  /** By the hour of the clock, modulo 24: an old one is overwritten. */
  const ring: Counts[] = [];

  function present(): Counts {
    const hour = Math.floor(clock.now() / hourMs);
    const place = hour % hoursKept;
    if (ring[place]?.hour !== hour) ring[place] = { hour, mails: 0, queued: 0, refused: 0 };
    return ring[place]!;
  }

  return {
    beside: (tally) => ({
      ...tally,
      count(name, words) {
        const { port, outcome } = words as { readonly port?: string; readonly outcome?: string };
        if (name === "messages" && port === "smtp" && outcome === "accepted") present().mails++;
        if (name === "deliveries" && left.has(outcome ?? "")) present().mails++;
        if (name === "refusals") present().refused++;
        tally.count(name, words);
      },
    }),
    hours() {
      const { hour: last } = present();
      return Array.from({ length: hoursKept }, (_, index) => {
        const hour = last - hoursKept + 1 + index;
        const kept = ring[hour % hoursKept];
        const { mails, queued, refused } = kept?.hour === hour ? kept : { mails: 0, queued: 0, refused: 0 };
        return { at: new Date(hour * hourMs).toISOString(), mails, queued, refused };
      });
    },
    watch(countQueued) {
      const look = async (): Promise<void> => {
        const queued = await countQueued();
        const counts = present();
        counts.queued = Math.max(counts.queued, queued);
      };
      const timer = every(lookMs, look).unref();
      return () => clearInterval(timer);
    },
  };
}
