/** The pages: `/`, `/sign-in`, `/join`, `/approvals`, `/agents`, `/mine` and what belongs to them. All of it is loaded at the first request. */
import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { forCaller } from "#/src/model/caller.ts";
import type { WebAppRooms } from "./web-app.ts";

const paths = /^\/(?:$|(?:sign-in|sign-out|join|language|approvals|agents|assets|live|mine)(?:\/|$))/;

export function createWebRoute(rooms: Omit<WebAppRooms, "createSignIn">, load: LoadSignIn): HttpRoute {
  let app: Promise<(context: HttpContext) => Promise<void>> | undefined;
  const loaded = async () => {
    const [{ createWebApp }, createSignIn] = await Promise.all([import("./web-app.ts"), load()]);
    return createWebApp({ ...rooms, createSignIn });
  };
  return {
    accepts: (path) => paths.test(path),
    async serve(context) {
      app ??= loaded();
      const serve = await app;
      await forCaller(context.signal, () => serve(context), context.owner);
    },
  };
}

export type LoadSignIn = () => Promise<WebAppRooms["createSignIn"]>;
