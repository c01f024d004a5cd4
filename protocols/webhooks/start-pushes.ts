/** Web Push is loaded with the first subscription: a daemon that tells nobody has nothing of it in memory. */
import { every, inBackground } from "#/src/model/background.ts";
import type { PushSubscriptions } from "#/src/sign-in/push-subscriptions.ts";
import type { Pushes } from "#/src/sign-in/pushes.ts";
import type { PushRunnerRooms } from "./send-pushes.ts";

export interface StartPushesRooms extends Omit<PushRunnerRooms, "pushes"> {
  readonly pushSubscriptions: Pick<PushSubscriptions, "exist" | "isShared" | "onKept">;
  loadPushes(): Promise<Pushes>;
}

/** Where another daemon may keep the first one, it is looked for so often. */
const lookMs = 2000;

export function startPushes(rooms: StartPushesRooms): AsyncDisposable {
  const { pushSubscriptions, log } = rooms;
  let runner: AsyncDisposable | undefined;
  let isStopped = false;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    if (isStopped || runner !== undefined) return;
    try {
      if (!(await pushSubscriptions.exist())) return;
      const [{ runPushes }, pushes] = await Promise.all([import("./send-pushes.ts"), rooms.loadPushes()]);
      runner = runPushes({ ...rooms, pushes });
      stopLooking();
    } catch (error) {
      log.error({ err: error }, "pushes could not be looked at");
    }
  }

  const wake = (): void => {
    looking = looking.then(look);
  };
  const stopListening = pushSubscriptions.onKept(() => inBackground(wake));
  const timer = pushSubscriptions.isShared ? every(lookMs, wake).unref() : undefined;
  const stopLooking = (): void => {
    stopListening();
    clearInterval(timer);
  };
  wake();
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      stopLooking();
      await looking;
      await runner?.[Symbol.asyncDispose]();
    },
  };
}
