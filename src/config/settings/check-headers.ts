import { isForwardable } from "../../message/forward-headers.ts";
import type { DrainsDocument } from "../../ports/drains.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "./settings.ts";

/** Headers that rules set under the service's own prefix would be passed over by a rebuild. Empty when there are none. */
export function checkHeaders(settings: Settings, document: DrainsDocument): readonly Problem[] {
  const { headerPrefix } = settings.service;
  return document.drains.flatMap((drain) =>
    drain.rules.flatMap((rule, index) =>
      Object.keys(rule.set?.headers ?? {})
        .filter((name) => !isForwardable(name, headerPrefix))
        .map((name) => {
          const expected = `a header name that does not begin with ${headerPrefix} (service.headerPrefix)`;
          const path = `drains.${drain.name}.rules[${index}].set.headers.${name}`;
          return { path, expected, message: `expected ${expected}` };
        }),
    ),
  );
}
