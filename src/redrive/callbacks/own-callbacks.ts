import { withOwnCallback } from "../../message/proof-callback.ts";
import type { MessageService } from "../../ports/service.ts";

/**
 * The service as it would be without canaries' callbacks: a record that died with ours is listed with the one that its message came with,
 * so that nothing else has to know of ours, neither rules, nor rebuilds, nor the archive. Whether callbacks are configured makes no
 * difference.
 */
export function withOwnCallbacks(
  service: MessageService,
  lineageKeys: () => readonly string[],
): MessageService {
  return {
    ...service,
    async list(query, signal) {
      const page = await service.list(query, signal);
      const keys = lineageKeys();
      return { ...page, records: page.records.map((raw) => withOwnCallback(raw, keys)) };
    },
  };
}
