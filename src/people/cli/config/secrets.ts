/** What stands in files and variables beside settings and document: whether each can be read. */
import { formatProblem } from "../../../config/problem.ts";
import { readLineageKey, readSecret } from "../../../config/read-secret.ts";
import type { Environment } from "../../../config/settings/environment.ts";
import type { Settings } from "../../../config/settings/settings.ts";
import type { DrainsDocument } from "../../../job/contracts/drains-document.ts";
import { isRedriverError } from "../../../job/contracts/errors.ts";
import { createLiveTokens } from "../../console/access/token-file.ts";

/** A line for each that cannot be read. */
export function problemsOfSecrets(
  settings: Settings,
  document: DrainsDocument,
  env: Environment,
): readonly string[] {
  const wanted = [
    ...document.sources.map(({ name, token }) => ({ whose: `source ${name}`, ref: token })),
    ...document.indexes.flatMap(({ name, user, password }) =>
      [user, password].map((ref) => ({ whose: `index ${name}`, ref })),
    ),
    ...document.notify.flatMap(({ name, url, secret }) =>
      [url, secret].flatMap((ref) =>
        ref === undefined || ref.kind === "written" ? [] : [{ whose: `notify ${name}`, ref }],
      ),
    ),
  ];
  const problems = wanted.flatMap(({ whose, ref }) => {
    const reading = readSecret(ref, { env, settings });
    return reading.ok ? [] : [`${whose}: ${formatProblem(reading.problem)}`];
  });
  const key = readLineageKey(settings);
  return [...problems, ...(key.ok ? [] : [formatProblem(key.problem)]), ...problemsOfTokens(settings)];
}

function problemsOfTokens({ console: { port, auth, tokenFile: file } }: Settings): readonly string[] {
  if (port === null || auth !== "token" || file === undefined) return [];
  try {
    createLiveTokens({ file, now: Date.now, onRejected: () => undefined });
    return [];
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    return [error.message];
  }
}
