import { withOwnCallback } from "../../message/proof-callback-url.ts";
import type { MessageService } from "../../ports/service.ts";

/**
 * The service as it would be without our callbacks on canaries. A record that died with our callback is
 * listed with its original one, so rules, rebuilds and the archive never see ours. This holds whether or not
 * callbacks are configured.
 */
export function withOriginalCallbacks(
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
