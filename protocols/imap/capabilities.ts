import type { AnnouncedCommand, CapabilityContext } from "./command-context.ts";

/** The capabilities to announce (RFC 9051 section 6.1.1): before login those that can be used before login, after it the rest. */
export function listCapabilities(
  commands: readonly AnnouncedCommand[],
  context: CapabilityContext,
): string[] {
  const isLoggedIn = context.state !== "unauthenticated";
  const names = new Set<string>();
  for (const command of commands) {
    const isReachable = command.states.some((state) => (state === "unauthenticated") !== isLoggedIn);
    if (!isReachable || command.capabilities === undefined) continue;
    const { capabilities } = command;
    for (const name of typeof capabilities === "function" ? capabilities(context) : capabilities)
      names.add(name);
  }
  return [...names];
}
