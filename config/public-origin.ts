/** The one origin of the pages: links, passkeys and cookies are for it alone. */
import type { Settings } from "./schema.ts";

/** `httpPort`: the port that HTTP is bound to, where the settings leave it open. undefined: no browser can reach the pages. */
export function publicOrigin(
  { server, http }: Pick<Settings, "server" | "http">,
  httpPort: number = http.port,
): string | undefined {
  if (server.publicUrl !== "") return new URL(server.publicUrl).origin;
  return http.enabled && httpPort !== 0 ? new URL(`http://localhost:${httpPort}`).origin : undefined;
}
