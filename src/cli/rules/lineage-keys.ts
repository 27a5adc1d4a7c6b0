import { createLineageKeys } from "../../compose/secrets.ts";
import { readLineageKey, readSecret } from "../../config/read-secret.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { SourceConfig } from "../../ports/drains.ts";
import type { Io } from "../io.ts";

export interface LineageKeys {
  readonly keys: readonly [string, ...string[]];
  /** False if neither a token nor a key can be read: a forged header could then not be recognised. */
  readonly known: boolean;
}

/** The key if there is none. Nothing that is signed with it leaves the process. */
const noKey = "no key";

/** The keys of a source's lineage headers, as far as this machine has its token or the key. */
export function readLineageKeys(source: SourceConfig, settings: Settings, io: Io): LineageKeys {
  const fixed = readLineageKey(settings);
  if (!fixed.ok) return { keys: [noKey], known: false };
  const { value: key } = fixed;
  const token =
    key === undefined
      ? readSecret(source.token, { env: io.env, settings })
      : { ok: true as const, value: key };
  if (!token.ok) return { keys: [noKey], known: false };
  const { oldKeys } = settings.lineage;
  return {
    keys: createLineageKeys({ value: () => token.value }, { key, oldKeys }, source.id)(),
    known: true,
  };
}
