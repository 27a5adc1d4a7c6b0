const ours = /^(REDRIVER|QSTASH|UPSTASH)_/i;

/** The environment of every process that the demo starts: nothing that could point it at somebody's real service. */
export function toCleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}
