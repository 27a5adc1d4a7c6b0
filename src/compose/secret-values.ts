import type { Settings } from "../config/settings/settings.ts";
import type { Core } from "./build-core.ts";

/** Every secret in memory, so that logs can take each out by its value. Asked for each line, because tokens change. */
export interface SecretValues {
  all(): readonly string[];
  /** From now on with the tokens of these sources. */
  use(core: Core): void;
}

export function createSecretValues(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): SecretValues {
  let core: Core | null = null;
  const password = URL.canParse(settings.redis.url)
    ? decodeURIComponent(new URL(settings.redis.url).password)
    : "";
  const fixed = [settings.service.token, settings.lineage.key, ...settings.lineage.oldKeys, password];
  return {
    use(built) {
      core = built;
    },
    all() {
      const tokens = [...(core?.sources.values() ?? [])].map(({ token }) => token.value());
      const ofIndexes = (core?.document.indexes ?? []).flatMap(({ user, password: secret }) =>
        [user, secret].map((ref) => (ref.kind === "env" ? env[ref.name] : undefined)),
      );
      return [...fixed, ...tokens, ...ofIndexes].filter(
        (value) => value !== undefined && value !== "",
      ) as string[];
    },
  };
}
