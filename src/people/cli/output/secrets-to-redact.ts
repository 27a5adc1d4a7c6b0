import type { Settings } from "../../../config/settings/settings.ts";
import type { Core } from "../../../job/door.ts";

export function createSecretsToRedact(settings: Settings) {
  let core: Core | null = null;
  const known = new Set<string>();
  const add = (value: string | undefined): void => {
    if (value !== undefined && value !== "") known.add(value);
  };
  for (const value of [settings.service.token, settings.lineage.key, ...settings.lineage.oldKeys]) add(value);
  const redisUrl = new URL(settings.redis.url);
  add(decodeURIComponent(redisUrl.password));
  add(redisUrl.searchParams.get("password") ?? undefined);
  add(settings.redis.sentinelPassword);
  add(settings.redis.target.key);
  return {
    /** Adds a secret that was read. Earlier values stay, because a late line may still hold one. */
    add,
    use(built: Core): void {
      core = built;
    },
    /** Called for each line, because tokens change. */
    all(): readonly string[] {
      for (const { token, callbacks } of core?.sources.values() ?? []) {
        add(token.value());
        for (const key of callbacks?.secrets() ?? []) add(key);
      }
      return [...known];
    },
  };
}
