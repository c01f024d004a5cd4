/** Changes of one event in this process come one after another: each is computed from calendars of several owners, and two at a time would
 *  overrule each other. Daemons that share a store find out by the write. */
const last = new Map<string, Promise<unknown>>();

/** `uid`: of the event; undefined for one that is not there yet. */
export async function inTurn<R>(uid: string | undefined, work: () => Promise<R>): Promise<R> {
  if (uid === undefined) return work();
  const before = last.get(uid);
  const done = (before ?? Promise.resolve()).then(work, work);
  last.set(uid, done);
  try {
    return await done;
  } finally {
    if (last.get(uid) === done) last.delete(uid);
  }
}
